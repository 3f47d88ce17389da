import assert from 'node:assert/strict'
import test from 'node:test'
import { ModelError } from '../../src/model.ts'
import { scriptedModel, scriptedModels } from '../../src/testing.ts'
import { opened } from './opened.ts'

const cache = { kind: 'automatic', minimumTokens: 0, lifetimeSeconds: 300 } as const
const price = { input: 3, cachedInput: 0.3, output: 15 }
const one = scriptedModel({ id: 'one', facts: { cache, price } })
const other = scriptedModel({ id: 'other', facts: { cache, price } })

const failing = scriptedModel({
  id: 'one',
  facts: { cache, price },
  answer(_, n) {
    if (n === 1) throw new ModelError('server', 'The server is down.', { provider: 'scripted', model: 'one' })
    return { text: 'Here I am.' }
  },
})

test('what a call left in the cache is forecast for the model that read it, and for no other one', async (t) => {
  const { runtime, say } = await opened(t, { models: scriptedModels(one, other) })
  const { session } = await say('Hello.')
  const same = (await runtime.preview({ session })).manifest
  assert.ok(same.forecast!.cached > 0)
  assert.ok(same.forecast!.money! < (same.used * price.input) / 1_000_000)
  const changed = (await runtime.preview({ session, model: 'other' })).manifest
  assert.equal(changed.forecast!.cached, 0)
  assert.ok(changed.reuse!.tokens > 0, 'the prompt is the same nevertheless')

  await say('Hello again.', { session, model: 'other' })
  assert.ok((await runtime.preview({ session, model: 'other' })).manifest.forecast!.cached > 0)
})

test('a call that failed before it was read has left nothing in the cache', async (t) => {
  const { runtime, say } = await opened(t, { model: failing, settings: { retryDelaysMs: [] } })
  const { session, outcome } = await say('Hello.')
  assert.equal(outcome?.type, 'failed')
  assert.equal((await runtime.preview({ session })).manifest.forecast!.cached, 0)
  await say('Once more.', { session })
  assert.ok((await runtime.preview({ session })).manifest.forecast!.cached > 0)
})

test('a cache that has expired is not forecast, whether the gateway ran meanwhile or not', async (t) => {
  const first = await opened(t, { model: one })
  const { session } = await first.say('Hello.')
  const cachedIn = async ({ runtime }: typeof first) => (await runtime.preview({ session })).manifest.forecast!.cached
  await first.clock.advance(299_000)
  assert.ok((await cachedIn(first)) > 0)
  await first.clock.advance(2_000)
  assert.equal(await cachedIn(first), 0)

  // The clock of a test begins anew with each start: the call is of the same moment.
  const second = await first.reopened()
  await second.clock.advance(299_000)
  assert.ok((await cachedIn(second)) > 0)
  await second.clock.advance(2_000)
  assert.equal(await cachedIn(second), 0)
})

/** An engine that counts a quarter more than the counter, and whose answers are longer than they look. */
const engine = (rules: { readonly answers?: true }) =>
  scriptedModel({
    facts: { cache: { ...cache, ...rules }, price },
    answer: ({ system = '', messages }, n) => ({
      text: `Answer ${n}.`,
      usage: { promptTokens: Math.round((system.length + JSON.stringify(messages).length) / 3.5), outputTokens: 30 },
    }),
  })

test('an engine that keeps its answers reads the last call and its answer from the cache, also after a restart', async (t) => {
  for (const rules of [{}, { answers: true } as const]) {
    const at = await opened(t, { model: engine(rules) })
    const { session } = await at.say('Hello.')
    await at.say('And now?', { session })
    const { usage } = (await at.store.calls(session, { last: 1 })).at(-1)!.outcome!
    const kept = usage!.promptTokens! + (rules.answers ? usage!.outputTokens! : 0)
    const { cached, fresh } = (await at.runtime.preview({ session, input: 'Thanks.' })).manifest.forecast!
    assert.equal(cached, kept)
    assert.ok(fresh > 0)
    const later = await at.reopened()
    assert.equal((await later.runtime.preview({ session, input: 'Thanks.' })).manifest.forecast!.cached, kept)
  }
})

test('an answer of which a part is not sent back is not forecast as kept', async (t) => {
  const model = scriptedModel({
    facts: { cache: { ...cache, answers: true }, price },
    answer: () => ({ text: 'Short.', usage: { promptTokens: 700, outputTokens: 900 } }),
  })
  const { runtime, say } = await opened(t, { model })
  const { session } = await say('Hello.')
  assert.ok((await runtime.preview({ session, input: 'Thanks.' })).manifest.forecast!.cached < 900)
})

test('in an engine with slots a note leaves nothing of the answer in the cache, also after a restart', async (t) => {
  for (const rules of [{ answers: true }, { answers: true, slots: true }] as const) {
    const model = scriptedModel({
      facts: { cache: { ...cache, ...rules }, price, window: 4_000, maxOutput: 600 },
      answer: ({ messages }, n) => {
        const isNote = JSON.stringify(messages.at(-1)).includes('Write the note that will stand')
        const text = isNote ? 'They spoke of the tide.' : `Answer ${n}. ${'The tide comes in twice a day. '.repeat(36)}`
        const promptTokens = Math.round(JSON.stringify(messages).length / 4) + 200
        return { text, usage: { promptTokens, outputTokens: Math.round(text.length / 4) } }
      },
    })
    const at = await opened(t, { model, settings: { notes: 'model', reserve: 600, margin: 0 } })
    const { session } = await at.say('How high is the water?')
    const lastNote = async () => {
      for (;;) {
        const { kind, outcome } = (await at.store.calls(session, { last: 1 })).at(-1)!
        if (kind === 'note' && outcome) return true
        if (kind !== 'note') return false
        await new Promise(setImmediate)
      }
    }
    for (let turn = 0; turn < 12 && !(await lastNote()); turn += 1) {
      await at.say(`And ${turn} hours later?`, { session })
      await new Promise(setImmediate)
    }
    assert.ok(await lastNote(), 'a note was written behind the last answer')
    const { usage } = (await at.store.calls(session, { last: 2 })).find(({ kind }) => kind === undefined)!.outcome!
    const kept = usage!.promptTokens! + ('slots' in rules ? 0 : usage!.outputTokens!)
    const cachedIn = async ({ runtime }: typeof at) =>
      (await runtime.preview({ session, input: 'Thanks.' })).manifest.forecast!.cached
    assert.equal(await cachedIn(at), kept)
    assert.equal(await cachedIn(await at.reopened()), kept)
  }
})

test('of a cache whose rules nobody has told, the next call expects what was reported, and nothing before that', async (t) => {
  const reports = [
    { cachedTokens: undefined, cacheWrittenTokens: undefined },
    { cachedTokens: 0, cacheWrittenTokens: undefined },
    { cachedTokens: 0, cacheWrittenTokens: 90 },
    { cachedTokens: 60, cacheWrittenTokens: undefined },
  ]
  for (const reported of reports) {
    const usage = { promptTokens: 100, outputTokens: 5, reasoningTokens: undefined, ...reported }
    const model = scriptedModel({ id: 'own', facts: { price }, answer: () => ({ text: 'Yes.', usage }) })
    const first = await opened(t, { model })
    const figures = async ({ runtime }: typeof first, session?: string) =>
      (await runtime.preview(session === undefined ? {} : { session })).figures
    const before = await figures(first)
    assert.deepEqual([before.cached, before.written, before.fresh], [undefined, undefined, undefined])
    const { session } = await first.say('Hello.')
    const expected = [await figures(first, session), await figures(await first.reopened(), session)]
    for (const { total, cached, written, fresh } of expected) {
      const { cachedTokens, cacheWrittenTokens = 0 } = reported
      if (cachedTokens === undefined) assert.deepEqual([cached, written, fresh], [undefined, undefined, undefined])
      else {
        assert.equal(cached! + written! + fresh!, total)
        assert.equal(cached! > 0, cachedTokens + cacheWrittenTokens > 0, JSON.stringify(reported))
        assert.equal(written! > 0, cacheWrittenTokens > 0, JSON.stringify(reported))
      }
    }
  }
})
