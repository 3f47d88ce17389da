import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Models } from '../../src/model.ts'
import { createLearnedLimits } from '../../src/runtime/models/learned-limits.ts'
import { forgetLearnedLimits } from '../../src/runtime.ts'
import { fixedClock, scriptedModel, scriptedModels } from '../../src/testing.ts'
import { type Opened, opened } from './opened.ts'

const words = (count: number) => 'word '.repeat(count).trim()
const facts = { window: 8192, maxOutput: 1000 }

const shown = async ({ runtime }: Opened) => (await runtime.models()).find(({ current }) => current)?.limit
const usedBy = async ({ store }: Opened, call: string) => (await store.call(call))!.manifest

test('a limit that a provider named holds for every session, is shown, and is over after an hour', async (t) => {
  const model = scriptedModel({
    facts,
    answer: (_, n) => (n === 1 ? { fail: { code: 'context-overflow', facts: { limit: 2000 } } } : { text: 'ok' }),
  })
  const at = await opened(t, { model })
  const { calls, outcome } = await at.say('hello')
  assert.deepEqual([outcome, calls.length], [{ type: 'completed' }, 2])
  const { window, from, call, since, sentence } = (await shown(at)) ?? assert.fail()
  assert.deepEqual([window, from, call, since], [2000, 'named-limit', calls[0], at.clock.time()])
  assert.ok((await at.runtime.status()).warnings.includes(sentence))
  const other = await at.say('hello')
  assert.equal((await usedBy(at, other.calls[0]!)).budget.window, 2000)
  assert.equal((await at.runtime.preview({ input: 'hello' })).manifest.budget.window, 2000)

  await at.clock.advance(60 * 60 * 1000)
  const later = await at.say('hello')
  assert.equal((await usedBy(at, later.calls[0]!)).budget.window, 8192)
  assert.deepEqual([await shown(at), (await at.runtime.status()).warnings], [undefined, []])
})

test('a learned limit outlives its process, unless it is forgotten', async (t) => {
  const model = scriptedModel({
    facts,
    answer: (_, n) => (n === 1 ? { fail: { code: 'context-overflow', facts: { limit: 2000 } } } : { text: 'ok' }),
  })
  const before = await opened(t, { model })
  await before.say('hello')
  const learned = await shown(before)
  assert.equal(learned?.window, 2000)
  const after = await before.reopened()
  assert.deepEqual(await shown(after), learned)
  assert.equal((await after.say('hello')).calls.length, 1)
  await forgetLearnedLimits(after.store)
  assert.equal(await shown(await after.reopened()), undefined)
})

test('`reload` lifts a learned limit', async (t) => {
  const model = scriptedModel({
    facts,
    answer: (_, n) => (n === 1 ? { fail: { code: 'context-overflow', facts: { limit: 2000 } } } : { text: 'ok' }),
  })
  const at = await opened(t, { model })
  await at.say('hello')
  assert.ok(await shown(at))
  await at.runtime.reload()
  assert.equal(await shown(at), undefined)
  assert.equal(await shown(await at.reopened()), undefined)
})

test('a limit that a provider has shown to be none is not kept either', () => {
  const kept: (readonly string[])[] = []
  const limits = createLearnedLimits(fixedClock(), { known: {}, keep: (all) => kept.push(Object.keys(all)) })
  const lab = { id: 'lab/m', facts: { ...scriptedModel({ facts }).facts } }
  limits.refused(lab, { limit: 2000, used: 1500 })
  limits.readWhole(lab, { reported: 1900, used: 1500 })
  limits.readWhole(lab, { reported: 3000, used: 2500 })
  assert.deepEqual([kept, limits.of('lab/m')], [[['lab/m'], []], undefined])
})

test('a refusal without a number shrinks no window: only prompts as large as the refused one are not sent again', async (t) => {
  let refuses = false
  const model = scriptedModel({
    facts,
    answer: () => {
      if (!refuses) return { text: words(300) }
      refuses = false
      return { fail: 'context-overflow' }
    },
  })
  const at = await opened(t, { model })
  const { session } = await at.say(words(300))
  for (let n = 0; n < 6; n += 1) await at.say(words(300), { session })
  refuses = true
  const refused = await at.say(words(300), { session })
  assert.deepEqual([refused.outcome, refused.calls.length], [{ type: 'completed' }, 2])
  const size = (await usedBy(at, refused.calls[0]!)).used
  assert.deepEqual([(await shown(at))?.window, (await shown(at))?.prompt], [undefined, size - 1])
  for (let n = 0; n < 8; n += 1) {
    const { calls } = await at.say(words(300), { session })
    const { used, budget } = await usedBy(at, calls[0]!)
    assert.ok(used < size, String(used))
    assert.equal(budget.window, 8192)
  }
  assert.deepEqual((await at.runtime.replay(session)).different, [])
})

test('a provider is asked about a model once, and again after `reload`', async (t) => {
  let window = 4_000
  let asked = 0
  const models: Models = {
    ...scriptedModels(scriptedModel()),
    async model() {
      asked += 1
      return scriptedModel({ facts: { window } })
    },
  }
  const { runtime, say } = await opened(t, { models, settings: { model: 'scripted' } })
  await say('hello')
  window = 9_000
  await say('hello')
  assert.deepEqual([(await runtime.model()).window, asked], [4_000, 1])
  await runtime.reload()
  assert.deepEqual([(await runtime.model()).window, asked], [9_000, 2])
})

test('a limit of tokens per minute is no window: it holds for the call that it refused', async (t) => {
  const refusal = { limit: 2000, perMinute: true } as const
  const model = scriptedModel({
    facts,
    answer: (_, n) => (n === 1 ? { fail: { code: 'context-overflow', facts: refusal } } : { text: 'ok' }),
  })
  const at = await opened(t, { model })
  assert.deepEqual((await at.say('hello')).outcome, { type: 'completed' })
  assert.equal(await shown(at), undefined)
})

test('a message that fits only what is configured is tried, whatever was learned', async (t) => {
  const model = scriptedModel({
    facts,
    answer: (_, n) => (n === 1 ? { fail: { code: 'context-overflow', facts: { limit: 2000 } } } : { text: 'ok' }),
  })
  const at = await opened(t, { model })
  await at.say('hello')
  const { outcome, calls } = await at.say(words(3000))
  assert.deepEqual(outcome, { type: 'completed' })
  assert.equal((await usedBy(at, calls[0]!)).budget.window, 8192)
})
