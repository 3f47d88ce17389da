import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, stat, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { openStoreConnection } from './connection.ts'
import { allMigrations, type Migration, migrate, refuseOtherVersions } from './migrations.ts'
import { findDamage } from '../tables/find-damage.ts'
import { openMemoryStore, openStoreFile } from './open-sqlite-store.ts'
import { temporaryStore } from '../../../test/session/temporary-store.ts'
import { systemClock } from '../../platform.ts'

const time = '2026-01-01T00:00:00.000Z'
const sql = "alter table sessions add column colour text; update sessions set colour = 'red'"
const newest = allMigrations.at(-1)!.version
const next: readonly Migration[] = [...allMigrations, { version: newest + 1, sql }]

test('opening a store again changes nothing', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ clock: systemClock, path })
  const written = await store.append('a', [{ type: 'session-start' }], time)
  await store.close()
  const again = await openStoreFile({ clock: systemClock, path })
  assert.deepEqual(await again.entries('a'), written)
  await again.close()
})

test('a new store has the newest schema version', async (context) => {
  const path = await temporaryStore(context)
  await (await openStoreFile({ clock: systemClock, path })).close()
  assert.deepEqual(versionsIn(path), [newest])
})

test('a migration brings a store to its version once, and keeps what it holds', async (context) => {
  const path = await storeWithSession(context)
  const connection = openStoreConnection({ clock: systemClock, path })
  migrate(connection, next)
  connection.execute("update sessions set colour = 'blue'")
  migrate(connection, next)
  const rows = connection.query<object>('select id, colour from sessions').map((row) => ({ ...row }))
  connection.close()
  assert.deepEqual(rows, [{ id: 'a', colour: 'blue' }])
  assert.deepEqual(versionsIn(path), [newest + 1])
})

test('an empty store goes through every migration', async (context) => {
  const path = await temporaryStore(context)
  const connection = openStoreConnection({ clock: systemClock, path })
  migrate(connection, next)
  connection.close()
  assert.deepEqual(versionsIn(path), [newest + 1])
})

test('a migration that fails changes nothing, and the next start does it', async (context) => {
  const path = await storeWithSession(context)
  const connection = openStoreConnection({ clock: systemClock, path })
  assert.throws(
    () => migrate(connection, [...allMigrations, { version: newest + 1, sql: `${sql}; ${sql}` }]),
    /duplicate column/,
  )
  assert.deepEqual(versionsIn(path), [newest])
  migrate(connection, next)
  connection.close()
  assert.deepEqual(versionsIn(path), [newest + 1])
})

test('a store of an earlier version that may only be read is refused', async (context) => {
  const path = await storeWithSession(context)
  const reader = openStoreConnection({ clock: systemClock, path, readOnly: true })
  assert.throws(() => migrate(reader, next), { code: 'older', message: /start the gateway once/ })
  reader.close()
  refuseOtherVersions(path, next)
})

test('a store of a newer version is refused as it is, with the way out', async (context) => {
  const path = await storeWithSession(context)
  const connection = openStoreConnection({ clock: systemClock, path })
  migrate(connection, next)
  connection.close()
  await refusesUntouched(path, {
    code: 'newer',
    message: new RegExp(`version ${newest + 1}, this one knows ${newest}`),
    hint: /^Update Foreword\..+import/,
  })
})

test('a store from before 0.2.0 is refused as it is, with the way out', async (context) => {
  const path = await temporaryStore(context)
  const database = new DatabaseSync(path)
  database.exec(`pragma journal_mode = wal;
    create table schema_version (version integer not null); insert into schema_version values (10);
    create table sessions (id text)`)
  await refusesUntouched(path, refusal)
  database.close()
  await refusesUntouched(path, refusal)
})

const refusal = {
  code: 'older',
  message: /before Foreword 0\.2\.0.+nothing was changed/,
  hint: /`foreword sessions export ID --output FILE`.+`foreword sessions import FILE --home NEW_HOME`/,
}

test('a database of another program is refused as it is', async (context) => {
  const path = await temporaryStore(context)
  const database = new DatabaseSync(path)
  database.exec('create table letters (text text)')
  database.close()
  await refusesUntouched(path, { code: 'corrupt', message: /is not a store/ })
})

async function storeWithSession(context: Parameters<typeof temporaryStore>[0]): Promise<string> {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ clock: systemClock, path })
  await store.append('a', [{ type: 'session-start', title: 'kept' }], time)
  await store.close()
  return path
}

async function refusesUntouched(path: string, expected: object): Promise<void> {
  const before = filesBeside(path)
  await assert.rejects(openStoreFile({ clock: systemClock, path }), expected)
  await assert.rejects(openStoreFile({ clock: systemClock, path, readOnly: true }), expected)
  assert.deepEqual(filesBeside(path), before)
}

function filesBeside(path: string): readonly (readonly [string, string])[] {
  const folder = dirname(path)
  return readdirSync(folder)
    .filter((name) => !name.endsWith('-shm'))
    .map((name) => [name, readFileSync(join(folder, name), 'base64')])
}

function versionsIn(path: string): readonly unknown[] {
  const database = new DatabaseSync(path, { readOnly: true })
  const rows = database.prepare('select version from schema_version').all()
  database.close()
  return rows.map(({ version }) => version)
}

test('a file that is not a store stays unchanged', async (context) => {
  const path = await temporaryStore(context)
  await writeFile(path, 'this is a letter, and a long one at that'.repeat(100))
  await assert.rejects(openStoreFile({ clock: systemClock, path }), { code: 'corrupt', message: /not a store/ })
  assert.equal((await stat(path)).size, 4000)
})

test('a read-only store must exist, and rejects writes', async (context) => {
  const path = await storeWithSession(context)
  await assert.rejects(
    openStoreFile({ clock: systemClock, path: join(dirname(path), 'none.sqlite'), readOnly: true }),
    {
      code: 'not-found',
      message: /start the gateway/,
    },
  )
  const reader = await openStoreFile({ clock: systemClock, path, readOnly: true })
  assert.equal((await reader.session('a'))?.title, 'kept')
  await assert.rejects(reader.append('a', [{ type: 'model', model: null }], time), { code: 'readonly' })
  await assert.rejects(reader.deleteSession('a'), { code: 'readonly' })
  await reader.close()
})

test('what is said in sessions can be read by its own user alone', async (context) => {
  const path = await temporaryStore(context)
  await chmod(join(path, '..'), 0o755)
  const store = await openStoreFile({ clock: systemClock, path })
  await store.append('a', [{ type: 'session-start' }], time)
  const modes = await Promise.all([path, `${path}-wal`].map(async (file) => (await stat(file)).mode & 0o777))
  assert.deepEqual(modes, [0o600, 0o600])
  await store.close()
})

test('what a refused call of another program used is known after the migration, and its sum is no damage', async (context) => {
  const path = await storeWithSession(context)
  const store = await openStoreFile({ clock: systemClock, path })
  const error = { code: 'auth', message: 'No such key.' }
  const slots = { tools: 0, system: 0, preamble: 0, history: 0, 'before-input': 0, input: 0, 'after-input': 0 }
  const budget = { window: 0, reserve: 0, margin: 0, available: 0 }
  const counter = { id: 'tokenx', version: '1' }
  const manifest = {
    version: 1 as const,
    layout: 'messages',
    counter,
    budget,
    used: 0,
    slots,
    entries: [],
    displaced: 0,
  }
  const call = { id: 'c', session: 'a', time, model: 'lab/m', kind: 'foreign' as const, input: {}, requestDigest: '' }
  await store.putCall({ ...call, foreign: { client: 'x', kind: 'turn' }, manifest })
  await store.finishCall('c', { error, durationMs: 1, foreign: { end: 'whole', status: 401 } })
  await store.close()
  const former = new DatabaseSync(path)
  former.exec(`update call_sums set prompt = null, cached = null, written = null, output = null;
    drop index call_sums_time;
    alter table call_sums drop column cost;
    create index call_sums_time on call_sums (time, number);
    ${withoutParts}
    update schema_version set version = 3`)
  former.close()
  const connection = openStoreConnection({ clock: systemClock, path })
  migrate(connection)
  assert.deepEqual(
    await Array.fromAsync(findDamage({ ...connection, read: connection.work }, () => openMemoryStore(systemClock))),
    [],
  )
  connection.close()
})

test('a store of version 1 goes on: what it holds stays, what comes has digests, and nothing in it is called damaged', async (context) => {
  const path = await storeWithSession(context)
  const former = new DatabaseSync(path)
  former.exec(`
    alter table sessions drop column chain;
    alter table entries drop column digest;
    alter table calls drop column digest;
    alter table calls drop column outcome_digest;
    drop index calls_answer;
    drop index call_sums_time;
    alter table call_sums drop column cost;
    create index call_sums_time on call_sums (time, number);
    ${withoutParts}
    update schema_version set version = 1`)
  former.close()
  const store = await openStoreFile({ clock: systemClock, path })
  await store.append('a', [{ type: 'model', model: null }], time)
  await store.append('a', [{ type: 'model', model: 'lab/m' }], time)
  assert.equal((await store.session('a'))?.title, 'kept')
  await store.close()
  assert.deepEqual(versionsIn(path), [newest])
  const damage = async () => {
    const connection = openStoreConnection({ clock: systemClock, path })
    const found = await Array.fromAsync(
      findDamage({ ...connection, read: connection.work }, () => openMemoryStore(systemClock)),
    )
    connection.close()
    return found.map(({ place }) => place)
  }
  assert.deepEqual(await damage(), [])
  const database = new DatabaseSync(path)
  database.exec("update entries set time = '2027' where seq = 2")
  database.close()
  assert.deepEqual(await damage(), ['entry 2 of session a'])
})

/** Undoes the versions from 7 on. */
const withoutParts = `
  drop index audit_time;
  drop index sessions_new;
  drop index sessions_failed;
  drop trigger entries_without_parts;
  drop trigger contents_without_parts;
  drop index entries_parts;
  drop index contents_parts;
  alter table entries drop column parts;
  alter table contents drop column parts;
  drop table text_parts;`
