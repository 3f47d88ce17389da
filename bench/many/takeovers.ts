import { mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { databaseOf, openWay, socketFolder } from '../../test/people/gateways.ts'
import { addPeople, homeOf, runTurn, startGateway, stopGateways } from './gateways.ts'
import { now } from './model.ts'
import type { Place } from './systems.ts'

const ROUNDS = 5
const PEOPLE = 8

const FAULTS = ['killed (SIGKILL)', 'frozen (SIGSTOP)', 'cut off from the database'] as const

/** For how long a home has no gateway after the one that had it was killed, froze, or was cut off from the database, ms. */
export async function takeovers({ folder, model, database }: Place): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, readonly number[]>()
  for (const name of FAULTS) {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const store = await database.create()
      const endings: (() => unknown)[] = []
      const way = await openWay({ after: (end) => endings.push(end as () => unknown) }, () =>
        connect(`${socketFolder(store)}/.s.PGSQL.5432`),
      )
      const start = (at: string) =>
        startGateway({ home: mkdtempSync(join(folder, 'home-')), model: model.url, store: at })
      const byWay = `postgres://foreword@127.0.0.1:${way.port}/${databaseOf(store)}`
      const [first, second] = [await start(byWay), await start(store)]
      try {
        const people = await addPeople(first, PEOPLE)
        // The second has homes only once it has been seen.
        let lost: string | undefined
        while (lost === undefined) {
          await sleep(200)
          for (const token of people) if ((await homeOf(second.port, token)).startsWith(first.home)) lost ??= token
        }
        await runTurn(second.port, lost, 'm-before-z')
        if (name === 'cut off from the database') way.lose()
        else first.child.kill(name === 'killed (SIGKILL)' ? 'SIGKILL' : 'SIGSTOP')
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
        first.child.kill('SIGKILL')
        await stopGateways([first, second])
        for (const end of endings) end()
      }
    }
    found.set(name, times)
  }
  return found
}
