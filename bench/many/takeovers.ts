import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { addPeople, homeOf, runTurn, startGateway, stopGateways } from './gateways.ts'
import { now } from './model.ts'
import type { Place } from './systems.ts'

const ROUNDS = 5
const PEOPLE = 8

/** For how long a home has no gateway after the one that had it was killed, and after it froze, ms. */
export async function takeovers({ folder, model, database }: Place): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, readonly number[]>()
  for (const [name, signal] of [
    ['killed (SIGKILL)', 'SIGKILL'],
    ['frozen (SIGSTOP)', 'SIGSTOP'],
  ] as const) {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const store = await database.create()
      const start = () => startGateway({ home: mkdtempSync(join(folder, 'home-')), model: model.url, store })
      const [first, second] = [await start(), await start()]
      try {
        const people = await addPeople(first, PEOPLE)
        // The second has homes only once it has been seen.
        let lost: string | undefined
        while (lost === undefined) {
          await sleep(200)
          for (const token of people) if ((await homeOf(second.port, token)).startsWith(first.home)) lost ??= token
        }
        await runTurn(second.port, lost, 'm-before-z')
        first.child.kill(signal)
        const began = now()
        for (;;) {
          try {
            await runTurn(second.port, lost, 'm-after-z', 10_000)
            break
          } catch {
            await sleep(20)
          }
        }
        times.push(now() - began)
      } finally {
        if (signal === 'SIGSTOP') first.child.kill('SIGKILL')
        await stopGateways([first, second])
      }
    }
    found.set(name, times)
  }
  return found
}
