import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, input, start } from '../cases/session-store-entries.ts'
import { postgresForTests } from './postgres-for-tests.ts'
import type { SessionStore, Waiting } from '../../src/session.ts'
import { systemClock } from '../../src/platform.ts'
import { openClient } from '../../src/session/postgres/client.ts'
import { databaseFacts } from '../../src/session/postgres/examine-database.ts'
import { openPostgresStore, type PostgresStoreOptions } from '../../src/session/postgres/open-postgres-store.ts'

const { options, server } = postgresForTests()

const open = (address: string, schema?: string, more: Partial<PostgresStoreOptions> = {}) =>
  openPostgresStore({ clock: systemClock, address, schema, ...more })

const databaseOf = (address: string) => /\/(store_\d+)/.exec(address)![1]!

/** Everything that a store lists. */
async function everythingOf(store: SessionStore) {
  return {
    sessions: (await store.sessions()).map(({ id }) => id),
    entries: (await store.entries('s')).length,
    unfinished: (await store.unfinishedTurns()).length,
    audit: (await store.audit({})).length,
    value: await store.value('key'),
    records: (await store.records('agent')).length,
    files: (await store.files({ owner: { type: 'session', id: 's' } })).length,
  }
}

test('homes in the schemas of one database know nothing of each other', options, async () => {
  const address = await server().database()
  // All at the same moment, on an empty database.
  const names = [undefined, 'anna', 'ben', '0_'] as const
  const stores = await Promise.all(names.map((name) => open(address, name)))
  const [usual, anna, ben] = stores as [SessionStore, SessionStore, SessionStore, SessionStore]
  const nothing = await everythingOf(ben)
  await anna.append('s', [start, input('turn_1')], at(1))
  const hash = await anna.putContent('of anna alone')
  await anna.putValue('key', 'of anna')
  assert.deepEqual(await everythingOf(anna), {
    ...nothing,
    sessions: ['s'],
    entries: 2,
    unfinished: 1,
    value: 'of anna',
    audit: (await anna.audit({})).length,
  })
  for (const other of stores.filter((store) => store !== anna)) {
    assert.deepEqual(await everythingOf(other), nothing)
    assert.equal(await other.content(hash), undefined)
    assert.equal((await other.gateways!.list()).length, 1)
  }
  // The same ids, keys and positions.
  await ben.append('s', [start], at(2))
  await ben.putValue('key', 'of ben')
  assert.deepEqual([await anna.value('key'), await ben.value('key')], ['of anna', 'of ben'])
  await anna.deleteSession('s')
  assert.equal((await ben.entries('s')).length, 1)
  assert.deepEqual((await everythingOf(usual)).sessions, [])
  await assert.rejects(open(address, 'anna'), { code: 'claimed', message: /\(schema anna\) is already used by/ })
  for (const store of stores) {
    assert.deepEqual(await Array.fromAsync(store.damage()), [])
    await store.close()
  }
})

test('a store of an earlier version is brought to the newest one, once, and keeps what it holds', options, async () => {
  const address = await server().database()
  const schema = 'anna'
  const store = await open(address, schema)
  await store.append('s', [start, input('turn_1')], at(1))
  await store.close()
  const database = databaseOf(address)
  const execute = (sql: string) => server().execute(`set search_path = ${schema}; ${sql}`, database)
  const indexes = async () =>
    (await execute(`select indexname, indexdef from pg_indexes where schemaname = '${schema}' order by indexname`)).map(
      (row) => Object.values(row).join(' '),
    )
  const newest = await indexes()
  // As version 1 had it.
  await execute(`drop index audit_time, audit_tool, sessions_new, sessions_failed, sessions_folder;
    create index audit_tool on audit using hash (tool);
    create index sessions_folder on sessions using hash (folder);
    alter table gateways drop column tables, drop column signs;
    alter table schema_version drop column newest;
    update schema_version set version = 1`)
  await assert.rejects(open(address, schema, { readOnly: true }), { code: 'older', message: /start the gateway once/ })
  const [again, beside] = await Promise.all([open(address, schema), open(address, schema, { beside: true })])
  await beside.close()
  assert.deepEqual(await indexes(), newest)
  assert.equal((await again.entries('s')).length, 2)
  await again.close()
  await execute('update schema_version set version = newest + 1')
  await assert.rejects(open(address, schema), { code: 'newer', message: /nothing was changed/ })
})

test('a takeover of one schema leaves the gateway of another alone', options, async () => {
  const address = await server().database()
  const [anna, ben] = await Promise.all([open(address, 'anna'), open(address, 'ben')])
  const waits = Promise.withResolvers<Waiting>()
  const standby = { gateway: { host: 'other', version: '1.0.0' }, waits: waits.resolve }
  const second = open(address, 'anna', { standby })
  const waiting = await waits.promise
  assert.deepEqual(
    (await waiting.list()).map(({ state }) => state),
    ['active', 'standby'],
  )
  // The connection that has the lock of the schema ends, again and again, until the other process has it.
  const end = `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
    and (classid::bigint << 32) | objid::bigint = hashtextextended('anna', x'46775374'::int)`
  for (let isOver = false; !isOver;) {
    await server().execute(end, databaseOf(address))
    isOver = await anna.putValue('key', 1).then(
      () => false,
      () => true,
    )
  }
  assert.equal((await second).gateways!.tookOver, true)
  await assert.rejects(anna.putValue('key', 2), { code: 'taken-over' })
  await ben.putValue('key', 3)
  assert.deepEqual(
    (await ben.gateways!.list()).map(({ state }) => state),
    ['active'],
  )
  const [row] = await server().execute('select epoch from ben.ownership', databaseOf(address))
  assert.equal(row?.['epoch'], 1)
  await Promise.all([anna.close(), ben.close(), (await second).close()])
})

test(
  'a transaction is in the schema of its home, whatever search path its connection was given on the way',
  options,
  async () => {
    const address = await server().database()
    const [anna, ben] = await Promise.all([open(address, 'anna'), open(address, 'ben')])
    const client = await openClient({ address, schema: 'anna' })
    for (const mode of ['', 'isolation level repeatable read read only'] as const) {
      await client.execute('set search_path = ben')
      const [row] = await client.begin(mode, "select current_schema() as here, 'named_values'::regclass::text as named")
      assert.deepEqual(row, { here: 'anna', named: 'named_values' })
      await client.execute('rollback')
    }
    // What a role or a database has set does not count either.
    await server().execute(`alter database ${databaseOf(address)} set search_path = ben`)
    const beside = await open(address, 'anna', { beside: true })
    await beside.putValue('key', 'of anna')
    assert.deepEqual([await anna.value('key'), await ben.value('key')], ['of anna', undefined])
    await Promise.all([anna.close(), ben.close(), beside.close(), client.end()])
  },
)

test('few connections read where few are allowed', options, async () => {
  const address = await server().database()
  const store = await open(address, 'anna', { readers: 1 })
  await Promise.all(Array.from({ length: 20 }, () => store.sessions()))
  const rows = await server().execute(
    'select count(*) as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    databaseOf(address),
  )
  assert.equal(rows[0]?.['count'], 2)
  await store.close()
})

test(
  'a schema is made where the rights allow it, and one that is there needs none on the database',
  options,
  async () => {
    const address = await server().database()
    const database = databaseOf(address)
    await server().execute(`create role member login`)
    await server().execute('create schema ready authorization member', database)
    const member = address.replace('foreword@', 'member@')
    const missing = await databaseFacts({ address: member, schema: 'team' }, systemClock)
    assert.deepEqual(missing.missingRights, ['create the schema team, or tables in it'])
    await assert.rejects(open(member, 'team'), {
      code: 'io',
      message: /\(schema team\): this user lacks a right/,
      hint: /create schema team authorization/,
    })
    assert.deepEqual((await databaseFacts({ address: member, schema: 'ready' }, systemClock)).missingRights, [])
    const store = await open(member, 'ready')
    await store.putValue('key', 1)
    const facts = await databaseFacts({ address: member, schema: 'ready' }, systemClock)
    assert.match(facts.holder ?? '', /^foreword \d+ of this machine$/)
    assert.equal((await databaseFacts({ address, schema: 'other' }, systemClock)).holder, undefined)
    await store.close()
  },
)

test('a name that no schema can have is refused before anything is asked', options, async () => {
  for (const schema of ['', 'Anna', 'a-b', 'a"b', 'pg_anna', 'information_schema', 'a'.repeat(51), 'ä', 'a;b', 'a\n'])
    await assert.rejects(open('postgres://nobody@/nowhere?host=/nowhere', schema), { code: 'invalid' })
})
