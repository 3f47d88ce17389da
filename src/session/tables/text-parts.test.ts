import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { LONG_TEXT, systemClock } from '../../platform.ts'
import type { AssistantMessage } from '../../context.ts'
import { contentHash } from '../../session.ts'
import { temporaryStore } from '../../../test/session/temporary-store.ts'
import { compactStoreFile } from '../sqlite/compact-store.ts'
import { openStoreFile } from '../sqlite/open-sqlite-store.ts'
import { LONGEST_IN_ROW } from './text-parts.ts'

const time = '2026-11-29T10:00:00.000Z'
const tokens = { counter: 'tokenx@2', full: 30, least: 30 }
const MEGABYTES = 3_000_000
/** A surrogate pair stands where a part would end. */
const long = `${'a'.repeat(LONG_TEXT - 1)}😀${'lamp "é"\n'.repeat(MEGABYTES / 9)}`
const answer: AssistantMessage = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'short' },
    { type: 'text', text: long },
  ],
}

test('a text of megabytes is stored in rows of a bounded size, and every reader gets it whole', async (context) => {
  const { store, path } = await withAnswer(context)
  const hash = await store.putContent(long)
  assert.equal(hash, contentHash(long))
  assert.equal(await store.content(hash), long)
  assert.deepEqual(
    (await store.entries('a')).find(({ type }) => type === 'message'),
    {
      type: 'message',
      turn: 't',
      call: 'c',
      message: answer,
      tokens,
      session: 'a',
      seq: 3,
      time,
    },
  )
  const { turns } = await store.recentTurns('a', { limit: 1000 })
  assert.deepEqual(turns[0]?.messages.at(-1)?.message, answer)
  assert.deepEqual(await Array.fromAsync(store.damage()), [])
  await store.close()
  const rows = query(
    path,
    'select max(length(data)) as longest from entries union all select max(length(text)) from contents',
  )
  for (const { longest } of rows)
    assert.ok(Number(longest) <= LONGEST_IN_ROW, `${Number(longest)} characters in one row`)
  assert.equal(query(path, 'select max(length(text)) as longest from text_parts')[0]!['longest'], LONG_TEXT)
})

test('no write of a long text has more than about a megabyte, and others come between', async (context) => {
  const { store } = await withAnswer(context)
  const order: string[] = []
  const written = store.append(
    'a',
    [{ type: 'input', turn: 'u', message: { role: 'user', content: long }, tokens }],
    time,
  )
  const all = [
    written.then(() => order.push('long')),
    store.append('a', [{ type: 'label', title: 'after it' }], time).then(() => order.push('same session')),
    store.putValue('key', 1).then(() => order.push('another write')),
  ]
  await Promise.all(all)
  assert.deepEqual(order, ['another write', 'long', 'same session'])
  assert.deepEqual(
    (await store.entries('a')).map(({ type }) => type),
    ['session-start', 'input', 'message', 'turn-end', 'input', 'label'],
  )
  await store.close()
})

test('a changed or missing part of a text is damage', async (context) => {
  for (const change of [
    `update text_parts set text = replace(text, 'lamp', 'damp') where part = 2`,
    `delete from text_parts where part = 1`,
  ]) {
    const { store, path } = await withAnswer(context)
    await store.close()
    query(path, change)
    const again = await openStoreFile({ clock: systemClock, path })
    assert.deepEqual(
      (await Array.fromAsync(again.damage())).map(({ place }) => place),
      ['entry 3 of session a'],
    )
    await again.close()
  }
})

test('the parts of a text go with what they belong to', async (context) => {
  const { store, path } = await withAnswer(context)
  const held = await store.putContent(`${long} held`, ['a'])
  await store.deleteSession('a')
  assert.equal(await store.content(held), undefined)
  // Its session is gone: the text is not stored, and nothing is left of it.
  await store.putContent(`${long} late`, ['a'])
  const hash = await store.putContent(long)
  await store.close()
  const numbers = 'select count(distinct number) as texts from text_parts'
  assert.equal(query(path, numbers)[0]!['texts'], 1)
  assert.deepEqual(await compactStoreFile(path, systemClock, () => {}), { contents: 1, characters: long.length - 1 })
  assert.equal(query(path, numbers)[0]!['texts'], 0)
  assert.match(hash, /^[0-9a-f]{64}$/)
})

test('what a crash leaves of a long text is removed at the next start', async (context) => {
  const { store, path } = await withAnswer(context)
  await store.close()
  query(path, `insert into text_parts values (99, 0, 'half a message')`)
  const again = await openStoreFile({ clock: systemClock, path })
  assert.deepEqual((await again.recentTurns('a', { limit: 1000 })).turns[0]?.messages.at(-1)?.message, answer)
  await again.close()
  assert.equal(query(path, 'select count(distinct number) as texts from text_parts')[0]!['texts'], 1)
})

async function withAnswer(context: TestContext) {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ clock: systemClock, path })
  const input = { type: 'input', turn: 't', message: { role: 'user', content: 'Go on.' }, tokens } as const
  await store.append('a', [{ type: 'session-start' }, input], time)
  const end = { type: 'turn-end', turn: 't', outcome: { type: 'completed' } } as const
  await store.append('a', [{ type: 'message', turn: 't', call: 'c', message: answer, tokens }, end], time)
  return { store, path }
}

function query(path: string, sql: string): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(path)
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}
