import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate as others } from 'node:timers/promises'
import type { Message } from '../../context.ts'
import { temporaryStore } from '../../../test/session/temporary-store.ts'
import type { CallRecord } from '../call.ts'
import type { SessionStore } from '../session-store.ts'
import { openStoreConnection } from './connection.ts'
import { openStoreFile } from './open-sqlite-store.ts'

const CALLS = 330
const time = '2026-01-01T00:00:00.000Z'

test('calls and results from before there were sums get theirs', async (context) => {
  const { path, expected } = await olderStore(context)
  await assert.rejects(openStoreFile({ path, readOnly: true }), { code: 'older' })
  const store = await openStoreFile({ path })
  assert.deepEqual(await sumsOf(store), expected)
  await store.close()
})

test('reading the sums of an older store is shown, and other work runs meanwhile', async (context) => {
  const { path } = await olderStore(context)
  const shown: string[] = []
  let between = 0
  const opening = { isDone: false }
  const other = (async () => {
    while (!opening.isDone) {
      await others()
      if (shown.length > between) between += 1
    }
  })()
  const store = await openStoreFile({ path, onProgress: (text) => shown.push(text) })
  opening.isDone = true
  await other
  assert.equal(shown[6], 'Reading the sums of 330 earlier calls (100 %)')
  assert.match(shown[0]!, /^Reading the sums of 330 earlier calls \(15 %\)$/)
  assert.match(shown.at(-1)!, /^Reading the sums of earlier results of tools \(100 %\)$/)
  assert.ok(shown.length > CALLS / 50 && between >= shown.length - 1, `${shown.length} lines, ${between} times`)
  await store.close()
  const lines = shown.length
  await (await openStoreFile({ path, onProgress: (text) => shown.push(text) })).close()
  assert.equal(shown.length, lines, 'once')
})

test('reading the sums of an older store continues where it was interrupted, and until then it is older', async (context) => {
  const { path, expected } = await olderStore(context)
  const shown: string[] = []
  const interrupted = (text: string) => {
    shown.push(text)
    if (shown.length % 3 === 0) throw new Error('interrupted')
  }
  await assert.rejects(openStoreFile({ path, onProgress: interrupted }), /interrupted/)
  await assert.rejects(openStoreFile({ path, readOnly: true }), { code: 'older' })
  await assert.rejects(openStoreFile({ path, onProgress: interrupted }), /interrupted/)
  const store = await openStoreFile({ path, onProgress: (text) => shown.push(text) })
  assert.deepEqual(await sumsOf(store), expected)
  assert.equal(new Set(shown).size, shown.length, 'no page is read twice')
  await store.close()
  await (await openStoreFile({ path, readOnly: true })).close()
})

test('two processes that open an older store at once read its sums together', async (context) => {
  const { path, expected } = await olderStore(context)
  const both = await Promise.all([openStoreFile({ path }), openStoreFile({ path })])
  for (const store of both) {
    assert.deepEqual(await sumsOf(store), expected)
    await store.close()
  }
})

async function sumsOf(store: SessionStore) {
  return [await store.callSums({ limit: 2_000, parts: true }), await store.toolSums({})]
}

/** A store with calls and results of tools as it was before there were sums, and the sums that it should have. */
async function olderStore(context: TestContext) {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ path })
  const usage = {
    promptTokens: 80,
    cachedTokens: 30,
    cacheWrittenTokens: undefined,
    outputTokens: 5,
    reasoningTokens: undefined,
  }
  const answered: Message = {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'shell', output: { type: 'text', value: 'ok' } }],
  }
  const tokens = { counter: 'chars@1', full: 12, least: 4 }
  const call: Omit<CallRecord, 'id'> = {
    session: 'a',
    time,
    model: 'rehearsal',
    input: {},
    manifest: {
      version: 1,
      layout: 'any',
      counter: { id: 'chars', version: '1' },
      budget: { window: 100, reserve: 10, margin: 0, available: 90 },
      used: 7,
      slots: { tools: 0, system: 7, preamble: 0, history: 0, 'before-input': 0, input: 0, 'after-input': 0 },
      entries: [
        {
          id: 'instructions',
          layer: 'instructions',
          slot: 'system',
          outcome: 'included',
          tokens: 7,
          fullTokens: 7,
          origin: { kind: 'file', ref: 'AGENTS.md' },
        },
      ],
      displaced: 0,
    },
    requestDigest: 'e3b0',
  }
  await store.append(
    'a',
    [
      { type: 'session-start' },
      { type: 'input', turn: 't1', message: { role: 'user', content: 'hello' }, tokens },
      { type: 'turn-start', turn: 't1' },
      { type: 'message', turn: 't1', message: answered, tokens },
    ],
    time,
  )
  for (let number = 0; number < CALLS; number += 1) {
    await store.putCall({ ...call, id: `c${number}`, outcome: { durationMs: 1, usage } })
  }
  const expected = await sumsOf(store)
  await store.close()
  const connection = openStoreConnection({ path })
  connection.execute('drop table call_sums; drop table tool_sums; update schema_version set version = 8')
  connection.close()
  return { path, expected }
}
