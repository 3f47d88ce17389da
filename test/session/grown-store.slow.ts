import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/platform.ts'
import { openPostgresStore } from '../../src/session/postgres/open-postgres-store.ts'
import type { SessionStore } from '../../src/session.ts'
import { type GrownStore, growStore } from './grow-store.ts'
import { workOn } from './grown-work.ts'
import { startPostgres, withoutPostgres } from './postgres-server.ts'
import { logsPlans, type QueryPlan, readPlans } from './query-plans.ts'

/** Some 100 entries each. `SESSIONS=100000` takes a quarter of an hour, and the plans are the same. */
const SESSIONS = Number(process.env['SESSIONS'] ?? 2_000)
/** Rows of a table that one statement looks at, however many sessions there are. */
const MOST_ROWS = 1_900
const GROWING = new Set(
  'sessions entries turns calls call_sums tool_sums audit contents text_parts named_values records files'.split(' '),
)

const options = { skip: withoutPostgres ?? false, timeout: 1_800_000 }
let folder: string
let server: Awaited<ReturnType<typeof startPostgres>>
let address: string
let grown: GrownStore
let store: SessionStore

before(async () => {
  if (withoutPostgres !== undefined) return
  folder = mkdtempSync('/tmp/foreword-plans-')
  // Costs of a disk without heads. With the usual ones small tables are read whole, which is right, and says nothing about large ones.
  server = await startPostgres({ settings: [...logsPlans, 'random_page_cost=1.1'], logFile: join(folder, 'log') })
  address = await server.database()
  grown = await growStore(server, address, SESSIONS)
  await server.execute(`alter database ${/\/([^/?]+)\?/.exec(address)![1]} set auto_explain.log_min_duration = 0`)
})
after(async () => {
  await store?.close()
  await server?.stop()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

/** What the server ran for some work. A plan is logged before its answer is sent. */
async function plansOf(work: () => Promise<unknown>): Promise<readonly QueryPlan[]> {
  writeFileSync(join(folder, 'log'), '')
  await work()
  return readPlans(readFileSync(join(folder, 'log'), 'utf8'))
}

function assertFlat(name: string, plans: readonly QueryPlan[], most = MOST_ROWS): void {
  for (const { sql, looked, whole } of plans) {
    for (const table of whole)
      if (GROWING.has(table) && most < grown.sessions) assert.fail(`${name} reads all of ${table}: ${sql}`)
    for (const [table, rows] of looked)
      if (GROWING.has(table)) assert.ok(rows <= most, `${name} looks at ${rows} rows of ${table}: ${sql}`)
  }
}

test('a store is opened without a look at what was said in it', options, async () => {
  const plans = await plansOf(async () => {
    store = await openPostgresStore({ clock: systemClock, address })
  })
  assert.ok(plans.length > 5)
  assertFlat('opening', plans)
})

test(
  'no question to a store with years of sessions reads a table whole, or more rows than it is about',
  options,
  async (t) => {
    for (const { name, run, rows } of workOn(grown, systemClock.time())) {
      await t.test(name, async () => {
        // A statement gets the plan that stays after some runs.
        for (let round = 0; round < 6; round += 1) await run(store)
        const plans = await plansOf(() => run(store))
        assert.ok(plans.length > 0)
        assertFlat(name, plans, rows)
      })
    }
  },
)
