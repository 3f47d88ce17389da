import assert from 'node:assert/strict'
import type { EntryBody, SessionStore, SumRange } from '../../src/session.ts'
import type { CallSumsOptions } from '../../src/session/call-sums.ts'
import { at, call, input, type StoreCase, start, turnStart } from './session-store-entries.ts'

const manifest = {
  ...call('any').manifest,
  used: 70,
  entries: [
    entry('instructions', 'instructions', 'system', 20),
    entry('left out', 'memory', 'system', 0),
    entry('shell', 'tool', 'tools', 12),
    entry('read', 'tool', 'tools', 8),
    entry('t1', 'turn', 'history', 15),
    entry('t2/1', 'assistant', 'history', 5),
    entry('t3', 'turn', 'input', 10),
  ],
}
const parts = {
  layers: { instructions: 20, tools: 20, history: 20, input: 10 },
  tools: { shell: 12, read: 8 },
}
const usage = {
  promptTokens: 80,
  cachedTokens: 30,
  cacheWrittenTokens: undefined,
  outputTokens: 0,
  reasoningTokens: undefined,
  cost: 0.000_31,
}
const running = [start, input('t1'), turnStart('t1')]
const reported = { promptTokens: 80, cachedTokens: 30, outputTokens: 0, cost: 0.000_31 }

/** What calls and tools used, for sums over long times. */
export function sumCases(storeCase: StoreCase): void {
  storeCase('the sum of a call has what its manifest and its provider say', async (store, reopen) => {
    await store.append('a', [start], at(1))
    await store.putCall(call('c1', { session: 'a', time: at(2), model: 'one', manifest }))
    await store.putCall(call('c2', { time: at(3), outcome: { durationMs: 1, usage } }))
    const expected = [
      { time: at(2), session: 'a', model: 'one', used: 70 },
      { time: at(3), model: 'rehearsal', used: 0, ...reported },
    ]
    assert.deepEqual(await sums(store), expected)
    await store.finishCall('c1', { durationMs: 1, usage })
    const again = await reopen()
    assert.deepEqual(await sums(again), [{ ...expected[0], ...reported }, expected[1]])
    assert.deepEqual(
      (await again.callSums({ limit: 9, parts: true })).map((sum) => sum.parts),
      [parts, { layers: {}, tools: {} }],
    )
  })

  storeCase('sums of calls are read by time, in pages, and within a range', async (store) => {
    for (const [id, second] of Object.entries({ c1: 4, c2: 2, c3: 4, c4: 9, c5: 3 }))
      await store.putCall(call(id, { time: at(second), model: id }))
    const models = async (options: Partial<CallSumsOptions>) =>
      (await store.callSums({ limit: 9, ...options })).map(({ model }) => model)
    assert.deepEqual(await models({}), ['c2', 'c5', 'c1', 'c3', 'c4'])
    assert.deepEqual(await models({ from: at(3), before: at(9) }), ['c5', 'c1', 'c3'])
    const paged: string[] = []
    for (let after: CallSumsOptions['after']; ;) {
      const page = await store.callSums({ limit: 2, ...(after ? { after } : {}) })
      paged.push(...page.map(({ model }) => model))
      after = page.at(-1)
      if (page.length < 2) break
    }
    assert.deepEqual(paged, ['c2', 'c5', 'c1', 'c3', 'c4'])
  })

  storeCase('sums of calls are read of one session, in pages, too', async (store) => {
    await store.append('a', [start], at(1))
    await store.append('b', [start], at(1))
    for (const [id, session] of Object.entries({ c1: 'a', c2: 'b', c3: 'a', c4: undefined }))
      await store.putCall(call(id, { time: at(2), model: id, ...(session === undefined ? {} : { session }) }))
    const [first] = await store.callSums({ limit: 1, session: 'a' })
    assert.equal(first?.model, 'c1')
    for (const options of [{ parts: true }, { records: true }, {}]) {
      const [next, ...others] = await store.callSums({ limit: 9, session: 'a', after: first, ...options })
      assert.deepEqual([next?.model, others], ['c3', []])
    }
    assert.deepEqual(await store.callSums({ limit: 9, session: 'none' }), [])
  })

  storeCase('sums of calls come with the whole calls where that is asked for', async (store) => {
    await store.putCall(call('c1', { time: at(2), manifest }))
    await store.finishCall('c1', { durationMs: 1, usage })
    const [sum] = await store.callSums({ limit: 9, records: true })
    assert.deepEqual(sum?.record, await store.call('c1'))
    assert.ok(!('record' in (await store.callSums({ limit: 9 }))[0]!))
    assert.equal((await store.callSums({ limit: 9, ids: true }))[0]?.id, 'c1')
    assert.ok(!('id' in (await store.callSums({ limit: 9 }))[0]!))
  })

  storeCase('a call that is put or finished in a transaction has its sum', async (store) => {
    await store.transaction([
      { type: 'call', record: call('c1', { manifest }) },
      { type: 'call-outcome', id: 'c1', outcome: { durationMs: 1, usage } },
    ])
    assert.deepEqual(await sums(store), [{ time: at(1), model: 'rehearsal', used: 70, ...reported }])
  })

  storeCase('results of tools are counted once, each with its share of the tokens of its message', async (store) => {
    await store.append('a', [...running, results(100, ['shell', 300], ['read', 100])], at(1))
    await store.append('b', [...running, results(7, ['shell', 3])], at(5))
    const all = await tools(store)
    assert.deepEqual(
      all.map(({ tool, results: count }) => [tool, count]),
      [
        ['read', 1],
        ['shell', 2],
      ],
    )
    assert.equal(
      all.reduce((sum, { tokens }) => sum + tokens, 0),
      107,
    )
    assert.ok(Math.abs(all[0]!.tokens - 25) <= 1)
    assert.deepEqual(await tools(store, { from: at(2) }), [{ tool: 'shell', results: 1, tokens: 7 }])
    assert.deepEqual(await tools(store, { before: at(1) }), [])
  })

  storeCase('a deleted session takes its sums along', async (store) => {
    await store.append('a', [...running, results(7, ['shell', 3])], at(1))
    await store.putCall(call('c1', { session: 'a' }))
    await store.putCall(call('c2', { model: 'other' }))
    await store.deleteSession('a')
    assert.deepEqual(await sums(store), [{ time: at(1), model: 'other', used: 0 }])
    assert.deepEqual(await tools(store), [])
  })
}

async function sums(store: SessionStore): Promise<readonly object[]> {
  return (await store.callSums({ limit: 9 })).map(({ number: _number, ...sum }) => sum)
}

async function tools(store: SessionStore, range: SumRange = {}) {
  return (await store.toolSums(range)).map((sum) => ({ ...sum }))
}

function entry(id: string, layer: string, slot: 'tools' | 'system' | 'history' | 'input', tokens: number) {
  return {
    id,
    layer,
    slot,
    outcome: tokens === 0 ? 'omitted' : 'included',
    tokens,
    fullTokens: 20,
    origin: { kind: 'operator', ref: id },
  } as const
}

function results(tokens: number, ...of: readonly (readonly [tool: string, characters: number])[]): EntryBody {
  const content = of.map(([toolName, characters], index) => ({
    type: 'tool-result' as const,
    toolCallId: `call-${index}`,
    toolName,
    output: { type: 'text' as const, value: 'x'.repeat(characters) },
  }))
  return {
    type: 'message',
    turn: 't1',
    message: { role: 'tool', content },
    tokens: { counter: 'chars@1', full: tokens, least: 4 },
  }
}
