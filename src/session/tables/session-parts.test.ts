import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../platform.ts'
import { type SessionStore, type Write } from '../../session.ts'
import { at, reply, start, wholeTurn } from '../../../test/cases/session-store-entries.ts'
import { temporaryStore } from '../../../test/session/temporary-store.ts'
import { openStoreConnection } from '../sqlite/connection.ts'
import { openStoreFile } from '../sqlite/open-sqlite-store.ts'
import { ROWS_OF_PART } from './session-parts.ts'

const TURNS = 1_000
const TABLES = ['sessions', 'entries', 'turns', 'tool_sums', 'calls', 'bindings', 'files']

test('a session of thousands of entries is written in parts, and nobody sees it before it is whole', async (context) => {
  const { store, rows } = await openWatched(context)
  const listened: number[] = []
  store.watch((entries) => void listened.push(entries.length))
  const seen: Promise<unknown>[] = []
  const counts: number[] = []
  const watched = function* () {
    for (const write of longSession('long')) {
      seen.push(store.sessions(), store.unfinishedTurns(), store.turns('long'), store.entries('long'))
      seen.push(store.findCalls({ limit: 1 }), store.callSums({ limit: 1 }), store.toolSums({}), store.sessionFolders())
      seen.push(store.session('long').then((row) => (row ? [row] : [])))
      assert.deepEqual(listened, [])
      counts.push(rows('entries'))
      yield write
    }
  }
  await store.putSession('long', watched())
  for (const found of await Promise.all(seen)) assert.deepEqual(found, [])
  const parts = [...new Set(counts), rows('entries')]
  assert.ok(parts.length > 5)
  for (const [index, count] of parts.slice(1).entries()) assert.ok(count - parts[index]! <= ROWS_OF_PART)
  assert.equal((await store.sessions())[0]?.turns, TURNS + 1)
  assert.equal((await store.unfinishedTurns()).length, 1)
  assert.equal(
    listened.reduce((sum, count) => sum + count),
    (await store.entries('long')).length,
  )
  for await (const damage of store.damage()) assert.fail(damage.place)
})

test('other writes come between the parts of a session, but none into it', async (context) => {
  const { store } = await openWatched(context)
  const order: string[] = []
  let asked = 0
  const writes = function* () {
    for (const write of longSession('long')) {
      asked += 1
      if (asked === TURNS / 2) {
        void store.putValue('key', 1).then(() => order.push('value'))
        void store.append('long', [{ type: 'label', title: 'mine' }], at(1)).catch(() => order.push('refused'))
        void store.putSession('long', longSession('long')).catch(() => order.push('refused'))
        void store.deleteSession('long').then((found) => order.push(`deleted: ${found}`))
      }
      yield write
    }
  }
  await store.putSession('long', writes())
  order.push('whole')
  assert.deepEqual(order.toSorted(), ['deleted: false', 'refused', 'refused', 'value', 'whole'])
  assert.equal(order.at(-1), 'whole')
  assert.equal((await store.session('long'))?.turns, TURNS + 1)
})

test('of a session that cannot be written to its end nothing is left, and its id is free', async (context) => {
  const { store, rows } = await openWatched(context)
  const broken = function* (): Generator<Write> {
    yield* longSession('long')
    yield { type: 'append', session: 'long', bodies: [reply('unknown')], time: at(1) }
  }
  await assert.rejects(store.putSession('long', broken()), { code: 'not-found' })
  assert.deepEqual(
    TABLES.map(rows),
    TABLES.map(() => 0),
  )
  await store.append('long', [start], at(1))
  await assert.rejects(store.putSession('long', longSession('long')), { code: 'conflict' })
  assert.equal((await store.session('long'))?.entries, 1)
})

test('what a crash leaves of a session that was written in parts is not seen, and is removed at the next start', async (context) => {
  const { store, path } = await openWatched(context)
  let crashed: string | undefined
  let asked = 0
  const writes = function* () {
    for (const write of longSession('long')) {
      asked += 1
      if (asked === TURNS - 10) crashed = copied(path, 'import')
      yield write
    }
  }
  await store.putSession('long', writes())
  await nothingIsLeft(crashed!)
})

test('a long session is removed in parts: nobody sees it from the first one on, and a crash does not bring it back', async (context) => {
  const { store, path, rows } = await openWatched(context)
  await store.putSession('long', longSession('long'))
  await store.bind({ channel: 'web', conversation: '1' }, 'long')
  const before = rows('entries')
  const counts = [before]
  let crashed: string | undefined
  const removal = store.deleteSession('long')
  while (counts.at(-1)! > 0) {
    await store.putValue('key', counts.length)
    if (rows('entries') === counts.at(-1)) continue
    counts.push(rows('entries'))
    assert.deepEqual(await store.sessions(), [])
    assert.equal(await store.session('long'), undefined)
    assert.equal(await store.bound({ channel: 'web', conversation: '1' }), undefined)
    if (counts.length === 3) crashed = copied(path, 'removal')
  }
  assert.equal(await removal, true)
  assert.ok(counts.length > 5)
  for (const [index, count] of counts.slice(1).entries()) assert.ok(counts[index]! - count <= 2 * ROWS_OF_PART)
  assert.deepEqual(
    TABLES.map(rows),
    TABLES.map(() => 0),
  )
  await nothingIsLeft(crashed!)
})

function* longSession(session: string): Generator<Write> {
  yield { type: 'append', session, bodies: [start], time: at(1) }
  yield { type: 'append', session, bodies: [{ type: 'label', folder: 'old' }], time: at(1) }
  for (let turn = 0; turn < TURNS; turn += 1) {
    yield { type: 'append', session, bodies: wholeTurn(`t${turn}`), time: at(1) }
  }
  yield { type: 'append', session, bodies: wholeTurn('open').slice(0, 2), time: at(1) }
}

/** The store with a second connection that counts the rows of a table as another process finds them. */
async function openWatched(context: Parameters<typeof temporaryStore>[0]) {
  const path = await temporaryStore(context)
  const store: SessionStore = await openStoreFile({ clock: systemClock, path })
  const other = openStoreConnection({ clock: systemClock, path, readOnly: true })
  context.after(async () => {
    other.close()
    await store.close()
  })
  const rows = (table: string) => other.query<{ count: number }>(`select count(*) as count from ${table}`)[0]!.count
  return { store, path, rows }
}

/** The files of a store as they are now. */
function copied(path: string, name: string): string {
  const folder = join(dirname(path), name)
  mkdirSync(folder)
  for (const end of ['', '-wal'])
    if (existsSync(path + end)) copyFileSync(path + end, join(folder, `store.sqlite${end}`))
  return join(folder, 'store.sqlite')
}

async function nothingIsLeft(path: string): Promise<void> {
  const counted = openStoreConnection({ clock: systemClock, path })
  const rows = (table: string) => counted.query<{ count: number }>(`select count(*) as count from ${table}`)[0]!.count
  try {
    assert.ok(rows('entries') > 0)
    const reader = await openStoreFile({ clock: systemClock, path, readOnly: true })
    assert.deepEqual([await reader.sessions(), await reader.entries('long')], [[], []])
    await reader.close()
    const store = await openStoreFile({ clock: systemClock, path })
    assert.deepEqual(
      TABLES.map(rows),
      TABLES.map(() => 0),
    )
    await store.putSession('long', longSession('long'))
    assert.equal((await store.session('long'))?.turns, TURNS + 1)
    await store.close()
  } finally {
    counted.close()
  }
}
