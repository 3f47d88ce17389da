import assert from 'node:assert/strict'
import { chmod, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openStoreConnection } from './connection.ts'
import { allMigrations, migrate } from './migrations.ts'
import { openStoreFile } from './open-sqlite-store.ts'
import { tables } from './tables.ts'
import { verifyAudit } from '../audit.ts'
import { temporaryStore } from '../../../test/session/temporary-store.ts'

const time = '2026-01-01T00:00:00.000Z'
const step = { compile: () => sql`alter table sessions add column colour text`.compile(tables) }
const next = [...allMigrations, { version: allMigrations.length + 1, steps: [step] }]

test('opening a store again changes nothing', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ path })
  const written = await store.append('a', [{ type: 'session-start' }], time)
  await store.close()
  const again = await openStoreFile({ path })
  assert.deepEqual(await again.entries('a'), written)
  await again.close()
})

test('a store is brought from version to version once, and keeps what it holds', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ path })
  await store.append('a', [{ type: 'session-start' }], time)
  await store.close()
  const connection = openStoreConnection({ path })
  await migrate(connection, next)
  await migrate(connection, next)
  const kept = connection.rows(tables.selectFrom('sessions').select('id')).map((row) => row.id)
  connection.close()
  assert.deepEqual(kept, ['a'])
})

test('a store from before there was an audit gets one, and keeps what it holds', async (context) => {
  const path = await temporaryStore(context)
  const connection = openStoreConnection({ path })
  await migrate(connection, allMigrations.slice(0, 1))
  connection.execute(`insert into sessions values ('a', 'kept', '${time}', '${time}', 0, 0, 0, null)`)
  connection.close()
  await assert.rejects(openStoreFile({ path, readOnly: true }), { code: 'older' })
  const store = await openStoreFile({ path })
  assert.equal((await store.session('a'))?.title, 'kept')
  assert.deepEqual(await verifyAudit(store), { type: 'whole', records: 0 })
  await store.transaction([{ type: 'audit', facts: { kind: 'change', rule: 'mode=full' }, time }])
  assert.deepEqual(await verifyAudit(store), { type: 'whole', records: 1 })
  await store.close()
})

test('a store from before there were records and files gets both, and keeps what it holds', async (context) => {
  const path = await temporaryStore(context)
  const connection = openStoreConnection({ path })
  await migrate(connection, allMigrations.slice(0, 2))
  connection.execute(`
    insert into sessions values ('a', 'kept', '${time}', '${time}', 0, 1, 0, 'rehearsal');
    insert into entries values ('a', 1, '${time}', 'session-start', null, '{"type":"session-start","title":"kept"}')`)
  connection.close()
  await assert.rejects(openStoreFile({ path, readOnly: true }), { code: 'older' })
  const store = await openStoreFile({ path })
  await store.append('a', [{ type: 'choice', choice: 'agent', value: 'poet' }], time)
  const { title, model, choices, entries } = (await store.session('a'))!
  assert.deepEqual([title, model, choices, entries], ['kept', 'rehearsal', { agent: 'poet' }, 2])
  assert.deepEqual([await store.records('agent'), await store.files()], [[], []])
  assert.equal((await store.putRecord({ kind: 'agent', id: 'poet', value: 1 }, time)).version, 1)
  await store.close()
})

test('a store from before sessions had subjects keeps what it holds', async (context) => {
  const path = await temporaryStore(context)
  const connection = openStoreConnection({ path })
  await migrate(connection, allMigrations.slice(0, 3))
  connection.execute(`
    insert into sessions values ('a', 'kept', '${time}', '${time}', 0, 1, 0, null, null, 'atlas');
    insert into entries values ('a', 1, '${time}', 'session-start', null, '{"type":"session-start","title":"kept"}')`)
  connection.close()
  const store = await openStoreFile({ path })
  await store.append('a', [{ type: 'choice', choice: 'subject', value: 'reef' }], time)
  const { choices, entries } = (await store.session('a'))!
  assert.deepEqual([choices, entries], [{ project: 'atlas', subject: 'reef' }, 2])
  await store.close()
})

test('what sessions chose before there were choices is read as choices', async (context) => {
  const path = await temporaryStore(context)
  const connection = openStoreConnection({ path })
  await migrate(connection, allMigrations.slice(0, 5))
  connection.execute(`
    insert into sessions values
      ('a', null, '${time}', '${time}', 0, 4, 0, null, 'poet "字"', null, 'reef'),
      ('b', null, '${time}', '${time}', 0, 1, 0, null, null, null, null);
    insert into entries values
      ('a', 1, '${time}', 'session-start', null, '{"type":"session-start"}'),
      ('a', 2, '${time}', 'agent', null, '{"type":"agent","agent":"poet \\"字\\""}'),
      ('a', 3, '${time}', 'project', null, '{"type":"project","project":null}'),
      ('a', 4, '${time}', 'subject', null, '{"type":"subject","subject":"reef"}')`)
  connection.close()
  const store = await openStoreFile({ path })
  const chosen = { agent: 'poet "字"', subject: 'reef' }
  assert.deepEqual([(await store.session('a'))?.choices, (await store.session('b'))?.choices], [chosen, {}])
  await store.append('a', [{ type: 'choice', choice: 'project', value: 'atlas' }], time)
  const at = { session: 'a', time }
  assert.deepEqual(await store.entries('a', { types: ['choice'] }), [
    { type: 'choice', choice: 'agent', value: 'poet "字"', ...at, seq: 2 },
    { type: 'choice', choice: 'project', value: null, ...at, seq: 3 },
    { type: 'choice', choice: 'subject', value: 'reef', ...at, seq: 4 },
    { type: 'choice', choice: 'project', value: 'atlas', ...at, seq: 5 },
  ])
  assert.deepEqual((await store.session('a'))?.choices, { ...chosen, project: 'atlas' })
  await store.close()
})

test('sessions from before there were states get their states and openings', async (context) => {
  const path = await temporaryStore(context)
  const connection = openStoreConnection({ path })
  await migrate(connection, allMigrations.slice(0, 6))
  const session = (id: string, turns: number) =>
    `insert into sessions values ('${id}', null, '${time}', '${time}', ${turns}, 9, 0, null, '{}');`
  const turn = (id: string, ordinal: number, state: string) =>
    `insert into turns values ('${id}', ${ordinal}, 't${ordinal}', 1, 9, '${state}', '${time}', 0, 0, 0, null);`
  const entry = (id: string, seq: number, type: string, data: object) =>
    `insert into entries values ('${id}', ${seq}, '${time}', '${type}', 't1', '${JSON.stringify(data)}');`
  const said = (content: unknown) => ({ type: 'input', message: { role: 'user', content } })
  connection.execute(`
    ${session('new', 0)} ${session('done', 1)} ${session('failed', 2)} ${session('works', 2)} ${session('waits', 1)}
    ${turn('done', 1, 'length')} ${entry('done', 1, 'input', said('Hello there'))}
    ${turn('failed', 1, 'completed')} ${turn('failed', 2, 'failed')}
    ${entry('failed', 1, 'input', said([{ type: 'text', text: ' With a picture ' }]))}
    ${turn('works', 1, 'failed')} ${turn('works', 2, 'queued')}
    ${turn('waits', 1, 'running')} ${entry('waits', 2, 'approval-request', {})}`)
  connection.close()
  const store = await openStoreFile({ path })
  const found = async (id: string) => {
    const { state, opening } = (await store.session(id))!
    return [state, opening]
  }
  assert.deepEqual(await found('new'), ['new', undefined])
  assert.deepEqual(await found('done'), ['done', 'Hello there'])
  assert.deepEqual(await found('failed'), ['failed', 'With a picture'])
  assert.deepEqual(
    [await found('works'), await found('waits')],
    [
      ['works', undefined],
      ['waits', undefined],
    ],
  )
  await store.append('waits', [{ type: 'turn-end', turn: 't1', outcome: { type: 'completed' } }], time)
  assert.deepEqual(await found('waits'), ['done', undefined])
  await store.close()
})

test('a step that fails leaves the version before it', async (context) => {
  const path = await temporaryStore(context)
  const connection = openStoreConnection({ path })
  const broken = [...allMigrations, { version: allMigrations.length + 1, steps: [step, step] }]
  await assert.rejects(migrate(connection, broken))
  await migrate(connection, next)
  connection.close()
})

test('a store of a newer version is refused, and so is an older one that may only be read', async (context) => {
  const path = await temporaryStore(context)
  const connection = openStoreConnection({ path })
  await migrate(connection)
  const reader = openStoreConnection({ path, readOnly: true })
  await assert.rejects(migrate(reader, next), { code: 'older', message: /start the gateway once/ })
  reader.close()
  await migrate(connection, next)
  connection.close()
  await assert.rejects(openStoreFile({ path }), { code: 'newer', message: /update Foreword/ })
  await assert.rejects(openStoreFile({ path, readOnly: true }), { code: 'newer' })
})

test('a file that is not a store stays unchanged', async (context) => {
  const path = await temporaryStore(context)
  await writeFile(path, 'this is a letter, and a long one at that'.repeat(100))
  await assert.rejects(openStoreFile({ path }), { code: 'corrupt', message: /not a store/ })
  assert.equal((await stat(path)).size, 4000)
})

test('a read-only store must exist, and rejects writes', async (context) => {
  const path = await temporaryStore(context)
  await assert.rejects(openStoreFile({ path, readOnly: true }), { code: 'not-found', message: /start the gateway/ })
  const store = await openStoreFile({ path })
  await store.append('a', [{ type: 'session-start', title: 'kept' }], time)
  const reader = await openStoreFile({ path, readOnly: true })
  assert.equal((await reader.session('a'))?.title, 'kept')
  await assert.rejects(reader.append('a', [{ type: 'model', model: null }], time), { code: 'readonly' })
  await assert.rejects(reader.deleteSession('a'), { code: 'readonly' })
  await reader.close()
  await store.close()
})

test('what is said in sessions can be read by its own user alone', async (context) => {
  const path = await temporaryStore(context)
  await chmod(join(path, '..'), 0o755)
  const store = await openStoreFile({ path })
  await store.append('a', [{ type: 'session-start' }], time)
  const modes = await Promise.all([path, `${path}-wal`].map(async (file) => (await stat(file)).mode & 0o777))
  assert.deepEqual(modes, [0o600, 0o600])
  await store.close()
})
