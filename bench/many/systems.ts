import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { addPeople, type Gateway, runTurn, startGateway, stopGateways } from './gateways.ts'
import { killAtExit } from './kill-at-exit.ts'
import { type JobLibrary, openJobs } from './jobs.ts'
import { CALLERS, type System } from './measure.ts'

export interface Place {
  readonly folder: string
  readonly libraries: string
  readonly model: { readonly url: string }
  readonly database: { create(): Promise<string> }
}

const PEOPLE = 16

/** Gateways whose people send each message to the next one, as a load balancer does. */
export async function gatewaySystem(
  { folder, model, database }: Place,
  { store, count }: { readonly store: 'sqlite' | 'postgres'; readonly count: number },
): Promise<System> {
  const address = store === 'postgres' ? { store: await database.create() } : {}
  const gateways: Gateway[] = []
  for (let number = 0; number < count; number += 1)
    gateways.push(await startGateway({ home: mkdtempSync(join(folder, 'home-')), model: model.url, ...address }))
  const people = await addPeople(gateways[0]!, PEOPLE)
  let asked = 0
  return {
    name: store === 'sqlite' ? 'SQLite, one gateway' : `PostgreSQL, ${plural(count, 'gateway')}`,
    pids: gateways.map(({ child }) => child.pid!),
    usesDatabase: store === 'postgres',
    run(word, caller) {
      asked += 1
      return runTurn(gateways[asked % count]!.port, people[caller % PEOPLE]!, word)
    },
    // A turn is over with its answer.
    async rest() {},
    stop: () => stopGateways(gateways),
  }
}

export async function jobSystem(
  { libraries, model, database }: Place,
  { library, count }: { readonly library: JobLibrary; readonly count: number },
): Promise<System> {
  const address = await database.create()
  const jobs = await openJobs(library, libraries, address)
  const workers: ChildProcess[] = []
  for (let number = 0; number < count; number += 1) {
    const args = [library, libraries, address, model.url, String(CALLERS / count)]
    const child = spawn(
      process.execPath,
      ['--conditions=foreword-source', join(import.meta.dirname, 'job-worker.ts'), ...args],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    killAtExit(child)
    await once(child.stdout, 'data')
    workers.push(child)
  }
  return {
    name: `${library}, ${plural(count, 'process', 'processes')}`,
    pids: workers.map(({ pid }) => pid!),
    usesDatabase: true,
    run: (word) => jobs.add(word),
    async rest() {
      while ((await jobs.left()) > 0) await sleep(10)
    },
    async stop() {
      for (const worker of workers) {
        const ended = once(worker, 'close')
        worker.kill('SIGKILL')
        await ended
      }
      await jobs.close()
    },
  }
}

const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`
