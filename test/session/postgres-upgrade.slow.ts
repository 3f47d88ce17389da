import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { at, input, start } from '../cases/session-store-entries.ts'
import { postgresForTests } from './postgres-for-tests.ts'
import { systemClock } from '../../src/platform.ts'
import { type Standby, StoreError, type Waiting } from '../../src/session.ts'
import { databaseFacts } from '../../src/session/postgres/examine-database.ts'
import { openPostgresStore } from '../../src/session/postgres/open-postgres-store.ts'
import { databaseMigrations } from '../../src/session/postgres/schema.ts'

const { options, server } = postgresForTests()
const TODAY = databaseMigrations.at(-1)!.version

const open = (address: string) => openPostgresStore({ clock: systemClock, address })
const databaseOf = (address: string) => /\/(store_\d+)/.exec(address)![1]!
const execute = (address: string, sql: string) =>
  server().execute(`set search_path = foreword; ${sql}`, databaseOf(address))

/** A process of a later Foreword, with these changes of the tables, that has the store until its input ends. */
function later(t: TestContext, address: string, tables: string, { name = 'later', standby = false } = {}) {
  const [preload, program] = ['later-version.mjs', 'later-process.mjs'].map((path) => join(import.meta.dirname, path))
  const child = spawn(
    process.execPath,
    ['--conditions=foreword-source', '--import', preload!, program!, address, name, ...(standby ? ['standby'] : [])],
    { env: { ...process.env, TEST_TABLES: tables }, stdio: ['pipe', 'pipe', 'inherit'] },
  )
  t.after(() => kill(child))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    child,
    said: async (): Promise<string | undefined> => (await lines.next()).value,
    async end() {
      child.stdin.end()
      await once(child, 'close')
    },
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'close')
}

const versions = async (address: string) => (await execute(address, 'select version, newest from schema_version'))[0]

/** Everything that the store of today reads and writes, over connections that know the statements from before. */
async function useEverything(store: Awaited<ReturnType<typeof open>>, round: number): Promise<void> {
  const turn = `turn_${round}`
  await store.append('s', [...(round === 0 ? [start] : []), input(turn)], at(round))
  await store.append('s', [{ type: 'turn-end', turn, outcome: { type: 'completed' } }], at(round))
  await store.putRecord({ kind: 'agent', id: 'a', value: { round } }, at(round))
  await store.putValue('round', round)
  await store.putFile({
    id: `file_${round}`,
    name: 'a.txt',
    time: at(round),
    owner: { type: 'session', id: 's' },
    mediaType: 'text/plain',
    bytes: 1,
    hash: await store.putContent(`content ${round}`),
    state: { type: 'processing' },
  })
  assert.equal((await store.session('s'))!.turns, round + 1)
  assert.equal((await store.sessions({ limit: 5 })).length, 1)
  assert.equal((await store.entries('s')).filter(({ type }) => type === 'turn-end').length, round + 1)
  assert.equal((await store.turns('s', { limit: 99 })).length, round + 1)
  assert.equal((await store.records('agent')).length, 1)
  assert.equal((await store.recordVersions('agent', 'a')).length, round + 1)
  assert.equal((await store.files({ owner: { type: 'session', id: 's' } })).length, round + 1)
  assert.ok((await store.file(`file_${round}`)) !== undefined)
  await store.audit({ last: 5 })
  await store.calls('s', { last: 5 })
  assert.equal(await store.value('round'), round)
  assert.equal((await store.gateways!.list()).filter(({ state }) => state === 'active').length, 1)
}

test(
  'a gateway goes on while a later one gives the tables more, and opens them again afterwards',
  options,
  async (t) => {
    const address = await server().database()
    const store = await open(address)
    let round = 0
    // Statements are prepared by then on every connection.
    for (; round < 4; round += 1) await useEverything(store, round)
    const next = later(t, address, 'more', { standby: true })
    const waits = next.said()
    const state = { waits: false }
    void waits.then(() => (state.waits = true))
    while (!state.waits) await useEverything(store, round++)
    assert.equal(await waits, 'waits')
    assert.deepEqual(await versions(address), { version: 2, newest: TODAY + 9 })
    assert.deepEqual((await databaseFacts({ address }, systemClock)).tables, {
      least: 2,
      newest: TODAY + 9,
      known: TODAY,
    })
    for (const until = round + 4; round < until; round += 1) await useEverything(store, round)
    assert.deepEqual(await Array.fromAsync(store.damage()), [])
    await store.close()
    assert.equal(await next.said(), 'open')
    await next.end()
    // The way back: the one of before has the store once more.
    const again = await open(address)
    await useEverything(again, round)
    assert.deepEqual(await Array.fromAsync(again.damage()), [])
    await again.close()
    const reader = await openPostgresStore({ clock: systemClock, address, readOnly: true })
    assert.equal((await reader.session('s'))!.turns, round + 1)
    await reader.close()
    t.diagnostic(`${round + 1} rounds`)
  },
)

test('tables that nobody before can work on are not made while a gateway of before works', options, async (t) => {
  const address = await server().database()
  const store = await openPostgresStore({
    clock: systemClock,
    address,
    standby: { gateway: { host: 'one', version: '1.2.3' }, waits: () => {} },
  })
  await store.gateways!.announce('http://one:4141')
  const refused = await later(t, address, 'more,other', { standby: true }).said()
  assert.match(
    refused!,
    /^claimed: .* while 1\.2\.3 at http:\/\/one:4141 works: .* Stop every gateway of that version first/,
  )
  // What only adds was made.
  assert.deepEqual(await versions(address), { version: 2, newest: TODAY + 9 })
  await useEverything(store, 0)
  await store.close()
  const next = later(t, address, 'more,other')
  assert.equal(await next.said(), 'open')
  assert.deepEqual(await versions(address), { version: TODAY + 10, newest: TODAY + 10 })
  await next.end()
  for (const readOnly of [false, true]) {
    await assert.rejects(openPostgresStore({ clock: systemClock, address, readOnly }), {
      code: 'newer',
      message: /was made by a newer Foreword .* nothing was changed/,
    })
  }
})

test(
  'a gateway that stands by ends with a sentence once the tables are beyond it, and never takes them',
  options,
  async (t) => {
    const address = await server().database()
    const first = later(t, address, 'other')
    // Its tables are those of today until the one that knows more changes them.
    const waits = Promise.withResolvers<Waiting>()
    const standby: Standby = { gateway: { host: 'two', version: '1.0.0' }, waits: waits.resolve }
    assert.equal(await first.said(), 'open')
    await execute(address, `update schema_version set version = ${TODAY}`)
    const second = openPostgresStore({ clock: systemClock, address, standby })
    second.catch(() => {})
    await waits.promise
    await execute(address, `update schema_version set version = ${TODAY + 1}`)
    await assert.rejects(second, (error: unknown) => error instanceof StoreError && error.code === 'newer')
    const rows = await execute(address, 'select host from gateways')
    assert.equal(rows.length, 1)
    await first.end()
  },
)

test(
  'of several that begin at once one brings the tables to the newest version, also where one is killed at it',
  options,
  async (t) => {
    const address = await server().database()
    await (await open(address)).close()
    const names = ['one', 'two', 'three']
    names.forEach((name) => later(t, address, 'more,slow', { name, standby: true }))
    const migrating = `select pid, application_name as name from pg_stat_activity where datname = current_database() and query like '%pg_sleep(2)%' and pid <> pg_backend_pid()`
    let found: readonly Readonly<Record<string, unknown>>[] = []
    while (found.length === 0) {
      await systemClock.sleep(20)
      found = await execute(address, migrating)
    }
    assert.equal(found.length, 1, 'one alone is at it')
    // The name of a connection has the number of its process.
    process.kill(Number(/\d+/.exec(String(found[0]!['name']))![0]), 'SIGKILL')
    // The connection of the process that was killed is there until the database notices; then another one goes on.
    const until = async () => (await versions(address))!['newest'] === TODAY + 10
    while (!(await until())) await systemClock.sleep(20)
    assert.deepEqual(await execute(address, 'select place from slow'), [{ place: 1 }])
    assert.deepEqual(
      await execute(address, `select indisvalid from pg_index where indexrelid = 'entries_by_colour'::regclass`),
      [{ indisvalid: true }],
    )
  },
)

test('an index that a process has left half made is made again', options, async (t) => {
  const address = await server().database()
  const store = await open(address)
  for (let round = 0; round < 2; round += 1) await useEverything(store, round)
  // As PostgreSQL leaves it: two rows have the same value.
  await execute(address, `alter table entries add column colour text default 'green'`)
  await assert.rejects(
    execute(address, 'select 1').then(() =>
      server().execute(
        'create unique index concurrently entries_by_colour on foreword.entries (colour)',
        databaseOf(address),
      ),
    ),
  )
  await execute(address, 'alter table foreword.entries rename column colour to former')
  const valid = () =>
    execute(address, `select indisvalid, indisunique from pg_index where indexrelid = 'entries_by_colour'::regclass`)
  assert.deepEqual(await valid(), [{ indisvalid: false, indisunique: true }])
  const next = later(t, address, 'more', { standby: true })
  assert.equal(await next.said(), 'waits')
  assert.deepEqual(await valid(), [{ indisvalid: true, indisunique: false }])
  await store.close()
  assert.equal(await next.said(), 'open')
  await next.end()
})

test('who reads a table for long keeps a migration waiting, and a gateway not', options, async (t) => {
  const address = await server().database()
  const store = await open(address)
  await useEverything(store, 0)
  const { openClient } = await import('../../src/session/postgres/client.ts')
  const dump = await openClient({ address })
  await dump.begin('isolation level repeatable read read only', 'select * from sessions')
  const next = later(t, address, 'more', { standby: true })
  const waits = next.said()
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'alter%'`
  for (let seen = 0, before = false; seen < 2;) {
    const isThere = (await execute(address, waiting)).length > 0
    if (isThere && !before) seen += 1
    before = isThere
  }
  // It has given way in between, and does so again.
  await useEverything(store, 1)
  assert.deepEqual((await versions(address))!['newest'], TODAY)
  await dump.end()
  assert.equal(await waits, 'waits')
  await useEverything(store, 2)
  await store.close()
  assert.equal(await next.said(), 'open')
  await next.end()
})
