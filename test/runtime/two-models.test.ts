import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportSession, importSession, openStore } from '../../src/session.ts'
import { systemClock } from '../../src/platform.ts'
import { readTurnView } from '../../src/runtime.ts'
import { scriptedModel, scriptedModels } from '../../src/testing.ts'
import { gate, type Opened, opened, tool } from './opened.ts'
import { costsOf } from '../costs-of.ts'

type Answer = NonNullable<Parameters<typeof scriptedModel>[0]>['answer']

const cache = { kind: 'automatic', minimumTokens: 0, lifetimeSeconds: 300 } as const
const facts = { cache, price: { input: 3, cachedInput: 0.3, output: 15 } } as const

/** Two models that both wait until the other was asked. */
function together() {
  const both = gate()
  let count = 0
  const answer =
    (text: string): Answer =>
    (_, n) => {
      if (n === 1 && (count += 1) === 2) both.open()
      return { text, usage: { promptTokens: 300, outputTokens: 4 }, before: () => both.passed }
    }
  const one = scriptedModel({ id: 'one', facts, answer: answer('From one.') })
  const other = scriptedModel({ id: 'other', facts, answer: answer('From other.') })
  return { one, other, models: scriptedModels(one, other) }
}

async function asked(here: Opened) {
  const sent = await here.runtime.submit({ text: 'Which?', beside: 'other' })
  await Promise.all([sent.turn, sent.beside!].map((turn) => here.ended({ session: sent.session, turn })))
  return { session: sent.session, first: sent.turn, second: sent.beside! }
}

const words = (sent: { readonly messages: readonly object[] }) => JSON.stringify(sent.messages)

test('two models answer one message at once, and the conversation goes on with the one that is chosen', async (t) => {
  const { one, other, models } = together()
  const here = await opened(t, { models })
  const { runtime } = here
  const { session, first, second } = await asked(here)
  const texts = await Promise.all([first, second].map((turn) => readTurnView(here.store, session, turn)))
  assert.deepEqual(
    texts.map(({ outcome, text }) => [outcome?.type, text]),
    [
      ['completed', 'From one.'],
      ['completed', 'From other.'],
    ],
  )
  assert.equal(words(one.calls[0]!.request), words(other.calls[0]!.request), 'both read the same')
  for (const model of ['one', 'other']) {
    const { forecast } = (await runtime.preview({ session, model })).manifest
    assert.ok(forecast!.cached > 0, `the cache of ${model} has what it read`)
  }

  await here.say('Why?', { session })
  assert.match(words(one.calls.at(-1)!.request), /From one\./)
  assert.doesNotMatch(words(one.calls.at(-1)!.request), /From other\./)
  await runtime.goOnFrom(session, second)
  await here.say('And why that?', { session })
  assert.match(words(one.calls.at(-1)!.request), /From other\..*And why that/)
  assert.doesNotMatch(words(one.calls.at(-1)!.request), /From one\./)

  const calls = await here.store.calls(session)
  assert.deepEqual(calls.map(({ model }) => model).toSorted(), ['one', 'one', 'one', 'other'])
  const { total } = await costsOf(runtime).costs({ by: 'session' })
  assert.deepEqual([total.calls, total.unpriced], [4, 0], 'the calls of both are paid')
  assert.deepEqual((await runtime.replay(session)).different, [])
})

test('in a conversation with branches both follow its head, a repeat is none, and the file of the session has both', async (t) => {
  const { one, other, models } = together()
  const here = await opened(t, { models })
  const start = await here.runtime.submit({ text: 'Zero.', beside: 'other' })
  const { session } = start
  await Promise.all([start.turn, start.beside!].map((turn) => here.ended({ session, turn })))
  await here.runtime.goOnFrom(session, start.beside!)
  const message = { session, text: 'Which?', model: 'one', beside: 'other', idempotencyKey: 'key' }
  const sent = await here.runtime.submit(message)
  assert.deepEqual(await here.runtime.submit(message), { ...sent, repeated: true })
  await Promise.all([sent.turn, sent.beside!].map((turn) => here.ended({ session, turn })))
  for (const model of [one, other]) {
    assert.match(words(model.calls.at(-1)!.request), /Zero\..*From other\..*Which/)
    assert.doesNotMatch(words(model.calls.at(-1)!.request), /From one\./)
  }
  assert.equal((await here.store.turns(session)).length, 4)

  const elsewhere = await openStore({ clock: systemClock, path: ':memory:' })
  const lines = await Array.fromAsync(exportSession(here.store, session))
  await importSession(elsewhere, lines)
  assert.deepEqual(await elsewhere.turns(session), await here.store.turns(session))
  assert.deepEqual((await here.runtime.replay(session)).different, [])
})

test('while two models answer, a tool that may do more than read does not run, and one that reads does', async (t) => {
  const ran: string[] = []
  const run = (name: string) => async () => {
    ran.push(name)
    return { ok: true, output: name } as const
  }
  const answer: Answer = (_, n) =>
    n === 1 ? { toolCalls: ['look', 'change'].map((name) => ({ name, input: {} })) } : { text: 'Done.' }
  const models = scriptedModels(scriptedModel({ id: 'one', answer }), scriptedModel({ id: 'other', answer }))
  const tools = [tool('look', run('look'), { idempotent: true }), tool('change', run('change'))]
  const here = await opened(t, { models, tools })
  const { session } = await asked(here)
  assert.deepEqual(ran, ['look', 'look'])
  const ends = (await here.log(session)).filter((entry) => entry.type === 'tool-end')
  assert.equal(ends.filter(({ ok }) => !ok).length, 2)
  assert.match(JSON.stringify(ends), /change may do more than read, and two models answer this message/)
})

test('one of two answers may fail or be cancelled, and the other is whole', async (t) => {
  const holds = gate()
  const one = scriptedModel({ id: 'one', answer: () => ({ text: 'From one.', before: () => holds.passed }) })
  const other = scriptedModel({
    id: 'other',
    answer() {
      throw new Error('broken')
    },
  })
  const here = await opened(t, { models: scriptedModels(one, other), settings: { retryDelaysMs: [] } })
  const sent = await here.runtime.submit({ text: 'Which?', beside: 'other' })
  const { session } = sent
  const failed = await here.ended({ session, turn: sent.beside! })
  assert.equal(failed.outcome?.type, 'failed')
  holds.open()
  assert.equal((await here.ended(sent)).text, 'From one.')

  const still = scriptedModel({ id: 'other', answer: () => ({ text: 'never', before: () => new Promise(() => {}) }) })
  const again = await here.reopened({ models: scriptedModels(one, still) })
  const next = await again.runtime.submit({ session, text: 'And now?', beside: 'other' })
  assert.equal((await again.ended(next)).text, 'From one.')
  await assert.rejects(again.runtime.submit({ session, text: 'Both?', beside: 'other' }), /cannot wait behind a turn/)
  assert.equal(await again.runtime.cancel(session, next.beside!), true)
  assert.equal((await again.ended({ session, turn: next.beside! })).outcome?.type, 'cancelled')
})

test('a gateway that stops while two models answer goes on with both at its next start', async (t) => {
  const one = scriptedModel({ id: 'one', answer: () => ({ text: 'From one.', before: () => new Promise(() => {}) }) })
  const other = scriptedModel({ id: 'other', answer: () => ({ text: 'x', before: () => new Promise(() => {}) }) })
  const here = await opened(t, { models: scriptedModels(one, other) })
  const sent = await here.runtime.submit({ text: 'Which?', beside: 'other' })
  const { session } = sent
  const again = await here.reopened({
    models: scriptedModels(
      scriptedModel({ id: 'one', answer: () => ({ text: 'From one.' }) }),
      scriptedModel({ id: 'other', answer: () => ({ text: 'From other.' }) }),
    ),
  })
  const views = await Promise.all([sent.turn, sent.beside!].map((turn) => again.ended({ session, turn })))
  assert.deepEqual(
    views.map(({ text }) => text),
    ['From one.', 'From other.'],
  )
  assert.deepEqual((await again.runtime.replay(session)).different, [])
})

test('a message to two models names two that there are, and has no budget of its own', async (t) => {
  const { models } = together()
  const { runtime } = await opened(t, { models })
  const refuses = (options: object, message: RegExp) =>
    assert.rejects(runtime.submit({ text: 'Which?', ...options }), message)
  await refuses({ beside: 'none' }, /no model none/)
  await refuses({ model: 'other', beside: 'other' }, /other would answer the message twice/)
  await refuses({ beside: 'other', budgets: [{ limit: { usd: 1 } }] }, /has no budget of its own/)
})

/** A dollar for a thousand tokens. */
const dear = { price: { input: 1000, output: 1000 } } as const

function pricedPair(ready?: Promise<void>) {
  const answer = async () => {
    await ready
    return { text: 'ok', usage: { promptTokens: 100, outputTokens: 10 } }
  }
  const [one, other] = ['one', 'other'].map((id) => scriptedModel({ id, facts: dear, answer }))
  return { calls: () => [...one!.calls, ...other!.calls].length, models: scriptedModels(one!, other!) }
}

/** What waits for a person, once it is so many calls. */
async function questions({ runtime }: Opened, count: number) {
  for (;;) {
    const found = await runtime.approvals()
    if (found.length === count) return found
    await new Promise(setImmediate)
  }
}

test('a budget of the session holds for both answers together, and each asks for itself', async (t) => {
  const { calls, models } = pricedPair()
  const small = await opened(t, { models, budgets: [{ limit: { usd: 0.01 }, per: 'session' }] })
  const sent = await small.runtime.submit({ text: 'Which?', beside: 'other' })
  const [first, second] = await questions(small, 2)
  for (const { held } of [first!, second!]) assert.match(held!.sentence, /of \$0\.0100 for the session\.$/)
  assert.equal(calls(), 0, 'neither has left')
  const decision = { type: 'approve', scope: 'once' } as const
  await small.runtime.decide(first!.approval, { decision, digest: first!.digest, by: 'test' })
  await questions(small, 1)
  const answered = first!.turn
  await small.ended({ session: sent.session, turn: answered })
  assert.equal(calls(), 1, 'the other still waits')
  await small.runtime.decide(second!.approval, { decision, digest: second!.digest, by: 'test' })
  await small.ended({ session: sent.session, turn: second!.turn })
  assert.equal(calls(), 2)

  // Enough for one of them: what the first may cost is held while the second asks.
  const cost = Number(/may cost \$(\d+\.\d+)/.exec(first!.held!.sentence)![1])
  const isAsked = Promise.withResolvers<void>()
  const pair = pricedPair(isAsked.promise)
  const enough = await opened(t, { models: pair.models, budgets: [{ limit: { usd: cost * 1.5 }, per: 'session' }] })
  await enough.runtime.submit({ text: 'Which?', beside: 'other' })
  await questions(enough, 1)
  assert.ok(pair.calls() <= 1, `${pair.calls()} calls left`)
  isAsked.resolve()
})

test('a budget of a token counts both answers to a message that came with it', async (t) => {
  const { models } = pricedPair()
  const limit = { usd: 1000 }
  const here = await opened(t, { models, budgets: [{ limit, per: 'day', token: 'phone' }] })
  const sent = await here.runtime.submit({ text: 'Which?', beside: 'other', token: 'phone' })
  await Promise.all([sent.turn, sent.beside!].map((turn) => here.ended({ session: sent.session, turn })))
  const [budget] = await here.runtime.budgets()
  assert.deepEqual([budget?.spent, budget?.held], [0.22, 0])
})
