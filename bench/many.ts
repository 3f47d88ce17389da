/**
 * Measures turns of several people at one, two and four gateways over one PostgreSQL, beside one gateway on SQLite and the same work as
 * jobs of two libraries: how soon the model is asked when nothing else runs and under load, turns a second, the processor time of
 * gateways and database, and how long a home is without a gateway after one was killed, froze or was cut off. What more cores would give is calculated.
 * The libraries are installed into a temporary folder.
 *
 *   npm run bench:many [-- SECONDS]
 */
import { cpus, loadavg, tmpdir } from 'node:os'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres, withoutPostgres } from '../test/session/postgres-server.ts'
import { installJobLibraries, jobLibraries } from './many/jobs.ts'
import { startModel } from './many/model.ts'
import { calculate } from './many/more-cores.ts'
import { measure, type Measured } from './many/measure.ts'
import { gatewaySystem, jobSystem } from './many/systems.ts'
import { takeovers } from './many/takeovers.ts'
import { givenNumber, median, quantile } from './measures.ts'

if (withoutPostgres !== undefined) throw new Error(withoutPostgres)
const seconds = givenNumber(8)
const folder = mkdtempSync(join(tmpdir(), 'foreword-many-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const libraries = join(folder, 'libraries')
mkdirSync(libraries)
await installJobLibraries(libraries)
const model = await startModel()
// Every commit is on the disk, as with SQLite.
const server = await startPostgres({ connections: 400, settings: ['fsync=on'] })
const database = { pid: server.pid(), create: server.database }
const place = { folder, libraries, model, database }

try {
  console.log(`${cpus().length} cores, ${cpus()[0]!.model}. Load when it began: ${loadavg()[0]!.toFixed(1)}.\n`)
  console.log(
    'system                        start, idle p50  p95    start, loaded p50  p95     turns/s    ms of processor time a turn    load\n' +
      '                                                                                          gateways  database',
  )
  const rows: Measured[] = []
  const note = async (system: Parameters<typeof measure>[0]) => {
    const measured = await measure(system, { model, database, seconds })
    rows.push(measured)
    print(measured)
    return measured
  }
  await note(await gatewaySystem(place, { store: 'sqlite', count: 1 }))
  const gateways: Measured[] = []
  for (const count of [1, 2, 4]) gateways.push(await note(await gatewaySystem(place, { store: 'postgres', count })))
  for (const library of Object.keys(jobLibraries) as (keyof typeof jobLibraries)[])
    for (const count of [1, 2, 4]) await note(await jobSystem(place, { library, count }))

  console.log('\nwithout a gateway, ms (two gateways; from the signal to the end of the next turn)    median   longest')
  for (const [name, times] of await takeovers(place))
    console.log(
      `${name.padEnd(86)}${median(times).toFixed(0).padStart(5)}${quantile(times, 1).toFixed(0).padStart(10)}`,
    )

  console.log('\nCalculated from the processor times above, not measured: turns a second')
  for (const line of calculate(gateways)) console.log(line)
} finally {
  await model.stop()
  await server.stop()
}

function print({ name, idle, loaded, perSecond, gatewaysMs, databaseMs, load }: Measured): void {
  const times = (values: readonly number[]) =>
    [0.5, 0.95].map((share) => quantile(values, share).toFixed(1).padStart(9)).join('')
  const cells = [
    name.padEnd(28),
    times(idle),
    times(loaded).padStart(24),
    perSecond.toFixed(0).padStart(11),
    gatewaysMs.toFixed(2).padStart(12),
    databaseMs.toFixed(2).padStart(9),
    load.toFixed(1).padStart(15),
  ]
  console.log(cells.join(' '))
}
