import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { casesSeed, runsAllCases, someCases } from '../arbitrary/some-cases.ts'
import { at, call, file, input, start, wholeTurn } from '../cases/session-store-entries.ts'
import { storeCases } from '../cases/session-store-cases.ts'
import { fullStore } from './full-store.ts'
import { startPostgres, withoutPostgres } from './postgres-server.ts'
import { copyStore, openStore } from '../../src/session.ts'
import type { CopyOptions } from '../../src/session/copy/copy-rows.ts'
import { systemClock } from '../../src/platform.ts'
import { storedTables } from '../../src/session/tables/stored-tables.ts'
import { openClient } from '../../src/session/postgres/client.ts'

const clock = systemClock
const options = { skip: withoutPostgres ?? false }
let server: Awaited<ReturnType<typeof startPostgres>>
let address: string
before(async () => {
  if (withoutPostgres !== undefined) return
  server = await startPostgres()
  address = await server.database()
})
after(() => server?.stop())

const databaseName = () => /store_\d+/.exec(address)![0]
let schemas = 0
const newSchema = () => ({ path: address, schema: `copy_${(schemas += 1)}` })
const copy = (from: { path: string }, to: { path: string }, more: Partial<CopyOptions> = {}) =>
  copyStore(from, to, { clock, ...more })

async function temporaryFolder(context?: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-copy-'))
  context?.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const cases: (readonly [name: string, run: () => Promise<void>])[] = []
// Whatever a case leaves goes into a database and back, and is the same in all three. Each time that it opens its store again, it goes on there.
storeCases(
  (name, run) => void cases.push([name, run]),
  async () => {
    const folder = await temporaryFolder()
    let path = join(folder, '0.sqlite')
    let copies = 0
    const roundTrip = async () => {
      const between = newSchema()
      const there = await copy({ path }, between)
      path = join(folder, `${(copies += 1)}.sqlite`)
      assert.deepEqual(await copy(between, { path }), there)
    }
    return {
      async open() {
        if (existsSync(path)) await roundTrip()
        return openStore({ path, clock })
      },
      async remove() {
        await roundTrip()
        await rm(folder, { recursive: true, force: true })
      },
    }
  },
)

for (const [name, run] of someCases(cases, 3))
  test(`copied twice${runsAllCases ? '' : `, CASES_SEED=${casesSeed}`}: ${name}`, options, run)

test(
  'a store with a row in every table is the same row for row after the way there and back',
  options,
  async (context) => {
    const folder = await temporaryFolder(context)
    const [first, last] = [join(folder, 'first.sqlite'), join(folder, 'last.sqlite')]
    await fullStore(first)
    const bytes = await readFile(first)
    const between = newSchema()
    const there = await copy({ path: first }, between)
    assert.deepEqual(
      there.filter(({ rows }) => rows === 0),
      [],
      'each table has a row',
    )
    assert.deepEqual(await copy(between, { path: last }), there)
    assert.deepEqual(await dump(last), await dump(first))
    assert.deepEqual(await readFile(first), bytes, 'the former store is as it was')

    // It works on: numbers go on where they were, and nothing is damaged.
    const store = await openStore({ ...between, clock })
    assert.deepEqual(await Array.fromAsync(store.damage()), [])
    assert.equal((await store.callsAnswered('answer_1')).length, 1)
    await store.putCall(call('call_new', { session: 'a' }))
    await store.putFile(file('file_new'))
    assert.deepEqual((await store.calls('a')).at(-1)?.id, 'call_new')
    assert.equal((await store.files()).at(-1)?.id, 'file_new')
    await store.append('a', wholeTurn('turn_new'), at(90))
    await store.transaction([
      { type: 'audit', facts: { kind: 'change', rule: 'x', by: 'cli', reason: 'y' }, time: at(91) },
    ])
    await store.close()
  },
)

/** All rows of all tables with the types of their values, as SQLite has them. */
async function dump(path: string) {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path, { readOnly: true })
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all()
  const rows = tables.map(({ name }) => {
    const columns = database.prepare(`pragma table_info(${String(name)})`).all()
    const typed = columns.flatMap((column) => [
      column['name'],
      `typeof(${String(column['name'])}) as type_${String(column['cid'])}`,
    ])
    const all = database.prepare(`select ${typed.join(', ')} from ${String(name)}`).all()
    return [name, all.map((row) => JSON.stringify(row)).toSorted()]
  })
  database.close()
  return rows
}

test('the database has the columns that are copied, and one that is derived', options, async () => {
  const place = newSchema()
  await (await openStore({ ...place, clock })).close()
  const client = await openClient({ ...place, address })
  const rows = await client.execute(
    `select table_name, string_agg(column_name, ' ' order by ordinal_position) as columns
      from information_schema.columns where table_schema = '${place.schema}' group by table_name`,
  )
  await client.end()
  const found = new Map(rows.map((row) => [row['table_name'], row['columns']]))
  for (const other of ['schema_version', 'ownership', 'gateways']) assert.ok(found.delete(other))
  assert.deepEqual(
    found,
    new Map(
      storedTables.map(({ name, columns }) => [name, [...columns, ...(name === 'calls' ? ['answer'] : [])].join(' ')]),
    ),
  )
})

test('what is not empty, is used, or is not there is refused, and nothing changes', options, async (context) => {
  const folder = await temporaryFolder(context)
  const path = join(folder, 'store.sqlite')
  await fullStore(path)
  const used = newSchema()
  const store = await openStore({ ...used, clock })
  await assert.rejects(copy({ path }, used), { code: 'claimed', message: /is used by foreword \d+ of this machine/ })
  await assert.rejects(copy(used, { path: join(folder, 'other.sqlite') }), { code: 'claimed' })
  await store.append('b', [start, input('turn_1')], at(1))
  await store.close()
  await assert.rejects(copy({ path }, used), { code: 'conflict', message: /There is a store at .* already/ })
  await assert.rejects(copy(used, { path }), { code: 'conflict', message: /There is a store at/ })
  await assert.rejects(copy({ path: join(folder, 'none.sqlite') }, newSchema()), { code: 'not-found' })
  await assert.rejects(copy(newSchema(), { path: join(folder, 'other.sqlite') }), { code: 'not-found' })
  assert.deepEqual(readdirSync(folder), ['store.sqlite'])
  // An empty store is taken, whichever it is.
  const empty = join(folder, 'empty.sqlite')
  await (await openStore({ path: empty, clock })).close()
  const prepared = newSchema()
  await (await openStore({ ...prepared, clock })).close()
  assert.deepEqual(await copy(used, { path: empty }), await copy(used, prepared))
})

test('nobody takes a store or writes to it while it is copied', options, async (context) => {
  const folder = await temporaryFolder(context)
  const path = join(folder, 'store.sqlite')
  await fullStore(path)
  const [between, target] = [newSchema(), newSchema()]
  await copy({ path }, between)
  await copy(between, target, {
    async check() {
      await assert.rejects(openStore({ ...between, clock }), { code: 'claimed' })
    },
  })
  await copy({ path }, newSchema(), {
    async check() {
      const reader = await openStore({ path, clock, readOnly: true })
      assert.equal((await reader.sessions()).length, 2)
      await reader.close()
      const written = openStore({ path, clock, busyTimeoutMs: 1 }).then((store) => store.putValue('key', 1))
      await assert.rejects(written, { code: 'busy' })
    },
  })
})

test(
  'a copy that is stopped, refused or killed leaves nothing behind, and the next one begins at its beginning',
  options,
  async (context) => {
    const folder = await temporaryFolder(context)
    const path = join(folder, 'store.sqlite')
    await fullStore(path)
    const between = newSchema()
    const schemaIsThere = async () => {
      const rows = await server.execute(`select from pg_namespace where nspname = '${between.schema}'`, databaseName())
      return rows.length > 0
    }
    for (const stage of ['copying', 'comparing'] as const) {
      const stopping = new AbortController()
      const stopped = new Error('stopped')
      const onProgress: CopyOptions['onProgress'] = (progress) => progress.stage === stage && stopping.abort(stopped)
      await assert.rejects(copy({ path }, between, { signal: stopping.signal, onProgress }), stopped)
      assert.equal(await schemaIsThere(), false)
    }
    const refused = new Error('refused')
    await assert.rejects(copy({ path }, between, { check: () => Promise.reject(refused) }), refused)
    assert.equal(await schemaIsThere(), false)
    // A process that ends in the middle.
    const script = `
    const { copyStore } = await import('${join(import.meta.dirname, '../../src/session.ts')}')
    const { systemClock } = await import('${join(import.meta.dirname, '../../src/platform.ts')}')
    const [from, to] = JSON.parse(process.argv[1])
    await copyStore(from, to, { clock: systemClock, check: () => process.kill(process.pid, 'SIGKILL') && new Promise(() => {}) })`
    const kill = (...places: readonly object[]) =>
      promisify(execFile)(process.execPath, [
        '--conditions=foreword-source',
        '--input-type=module',
        '-e',
        script,
        JSON.stringify(places),
      ])
    await assert.rejects(kill({ path }, between), { signal: 'SIGKILL' })
    const there = await copy({ path }, between)
    const back = join(folder, 'back.sqlite')
    await assert.rejects(kill(between, { path: back }), { signal: 'SIGKILL' })
    assert.equal(existsSync(back), false)
    // The database may need a moment to see that the killed process is gone.
    for (;;) {
      const copied = await copy(between, { path: back }).catch((error: { code: string }) => error.code)
      if (copied === 'claimed') continue
      assert.deepEqual(copied, there)
      break
    }
    assert.deepEqual(readdirSync(folder).toSorted(), ['back.sqlite', 'store.sqlite'])
  },
)

test('a row that came out otherwise is found, and nothing is kept', options, async (context) => {
  const folder = await temporaryFolder(context)
  const path = join(folder, 'store.sqlite')
  await fullStore(path)
  const place = newSchema()
  await (await openStore({ ...place, clock })).close()
  await server.execute(
    `create function ${place.schema}.spoil() returns trigger language plpgsql as $$ begin new.title = 'other'; return new; end $$;
      create trigger spoil before insert on ${place.schema}.sessions for each row execute function ${place.schema}.spoil()`,
    databaseName(),
  )
  await assert.rejects(copy({ path }, place), {
    code: 'not-synced',
    message: /the table sessions of .* is not as it is/,
  })
  const store = await openStore({ ...place, clock, readOnly: true })
  assert.deepEqual(await store.sessions(), [])
  await store.close()
})
