/**
 * Measures what a home in PostgreSQL is asked for, with a hundredth and a tenth of the sessions and with all of them, some 100 entries
 * each. Its rows are copies of what a gateway has written. 100,000 sessions need some 12 GB of disk and a quarter of an hour.
 *
 *   npm run bench:grown [-- SESSIONS]
 */
import { startPostgres, withoutPostgres } from '../test/session/postgres-server.ts'
import { growStore } from '../test/session/grow-store.ts'
import { measureGrown } from './grown/measure-grown.ts'
import { givenNumber } from './measures.ts'

if (withoutPostgres !== undefined) throw new Error(withoutPostgres)
const most = givenNumber(100_000)
const server = await startPostgres()
try {
  const columns: { readonly title: string; readonly times: ReadonlyMap<string, number> }[] = []
  for (const sessions of [most / 100, most / 10, most].map(Math.round)) {
    const address = await server.database()
    const grown = await growStore(server, address, sessions)
    console.log(`${sessions} sessions: ${grown.entries} entries, ${grown.calls} calls`)
    columns.push({ title: `${sessions} sessions`, times: await measureGrown(address, grown) })
  }
  console.log(`\n${'median, ms'.padEnd(42)}${columns.map(({ title }) => title.padStart(18)).join('')}`)
  for (const name of columns[0]!.times.keys())
    console.log(`${name.padEnd(42)}${columns.map(({ times }) => times.get(name)!.toFixed(1).padStart(18)).join('')}`)
} finally {
  await server.stop()
}
