import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { createModels } from '../../src/model.ts'
import { scriptedProvider, type ScriptedProviderOptions } from '../../src/testing.ts'
import { simulatedCache, simulatedRules } from '../kit/simulated-cache.ts'
import { opened } from './opened.ts'
import { systemClock } from '../../src/platform.ts'

const CONTEXT = { name: 'local', contextLength: 32_000 }

/** A server with OpenAI's API, and a runtime that calls it. */
async function served(t: TestContext, ownedBy: string, options: ScriptedProviderOptions = {}) {
  const server = await scriptedProvider({ models: [{ ...CONTEXT, ownedBy }], ...options })
  t.after(() => server.close())
  const models = createModels({
    clock: systemClock,
    known,
    providers: { own: { kind: 'openai-compatible', baseURL: `${server.url}/v1` } },
  })
  const at = await opened(t, { models, settings: { model: 'own/local' } })
  const sent = () => server.requests.map(({ body }) => [body['cache_prompt'], body['id_slot']])
  const usage = async (session: string) => (await at.store.calls(session)).map(({ outcome }) => outcome?.usage)
  return { ...at, server, sent, usage }
}

test('llama.cpp is asked for its cache, and each session has a slot of its own', async (t) => {
  const { say, sent, runtime } = await served(t, 'llamacpp', { slots: 2 })
  const one = await say('Hello')
  await say('Good morning')
  await say('And on', { session: one.session })
  assert.deepEqual(sent(), [
    [true, 0],
    [true, 1],
    [true, 0],
  ])
  const { different, wires } = await runtime.replay(one.session)
  assert.deepEqual([different, wires?.different, wires?.identical], [[], [], 2])
})

test('with more sessions than slots the engine chooses, until the first ones are idle', async (t) => {
  const { say, sent, clock } = await served(t, 'llamacpp', { slots: 2 })
  const { session } = await say('one')
  await say('two')
  await say('three')
  await say('one again', { session })
  await clock.advance(31 * 60_000)
  await say('one later', { session })
  assert.deepEqual(
    sent().map(([, slot]) => slot),
    [0, 1, undefined, undefined, 0],
  )
})

test('a server with one slot, without that page, or another engine is sent no slot', async (t) => {
  for (const [ownedBy, slots, asked] of [
    ['llamacpp', 1, true],
    ['llamacpp', undefined, true],
    ['vllm', 4, undefined],
    ['someone', 4, undefined],
  ] as const) {
    const { say, sent } = await served(t, ownedBy, slots === undefined ? {} : { slots })
    await say('Hello')
    assert.deepEqual([ownedBy, slots, ...sent()], [ownedBy, slots, [asked, undefined]])
  }
})

test('a slot that does not answer is named no more', async (t) => {
  const { say, sent } = await served(t, 'llamacpp', {
    slots: 4,
    answer: ({ body }) =>
      'id_slot' in body ? { status: 400, body: { error: { message: 'no such slot' } } } : { text: 'ok' },
  })
  const { session } = await say('Hello')
  await say('Hello again', { session })
  assert.deepEqual(
    sent().map(([, slot]) => slot),
    [0, undefined],
  )
})

test('what an engine reports of its cache is the usage of a call', async (t) => {
  const { say, usage } = await served(t, 'llamacpp', {
    answer: (_, n) => ({
      text: 'ok',
      timings: { cached: 900 * n, read: 100 },
      usage: n === 1 ? { promptTokens: 1000, outputTokens: 5 } : 'silent',
    }),
  })
  const { session } = await say('Hello')
  await say('And on', { session })
  const [older, silent] = await usage(session)
  assert.deepEqual([older?.promptTokens, older?.cachedTokens, older?.outputTokens], [1000, 900, 5])
  assert.deepEqual([silent?.promptTokens, silent?.cachedTokens, silent?.outputTokens], [1900, 1800, undefined])
})

test('vLLM reports cached tokens in the usage', async (t) => {
  const usageOf = { promptTokens: 1000, cachedTokens: 960, outputTokens: 5 }
  const { say, usage } = await served(t, 'vllm', { answer: () => ({ text: 'ok', usage: usageOf }) })
  const { session } = await say('Hello')
  assert.equal((await usage(session))[0]?.cachedTokens, 960)
})

test('two sessions with the same head do not take the slot of each other', async (t) => {
  const cache = simulatedCache({ rule: simulatedRules.engine(4), now: () => 0 })
  const { say } = await served(t, 'llamacpp', { slots: 4, cache })
  const own = ['ferry', 'harbour'].map(
    (word) => `${'You speak plainly. '.repeat(20)}${`The ${word} is far. `.repeat(80)}`,
  )
  const sessions: string[] = []
  for (const text of own) sessions.push((await say(text)).session)
  for (const session of sessions) await say('Go on, please.', { session })
  const [, , ...later] = cache.reports
  for (const { promptTokens, cachedTokens } of later)
    assert.ok(cachedTokens / promptTokens > 0.8, `${cachedTokens} of ${promptTokens}`)
})
