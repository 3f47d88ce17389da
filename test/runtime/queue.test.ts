import assert from 'node:assert/strict'
import type { RuntimeError } from '../../src/capability.ts'
import { test } from 'node:test'
import { scriptedModel, scriptedModels } from '../../src/testing.ts'
import { aroundEntries, gate, opened } from './opened.ts'

test('turns of one session run one at a time, in the order of their input', async (t) => {
  let running = 0
  let most = 0
  const order: string[] = []
  const model = scriptedModel({
    answer: (request) => {
      running += 1
      most = Math.max(most, running)
      order.push(JSON.stringify(request.messages.at(-1)?.content))
      return {
        text: 'ok',
        before: async () => {
          await new Promise(setImmediate)
          running -= 1
        },
      }
    },
  })
  const { runtime, ended, say } = await opened(t, { model })
  const { session } = await say('0')
  const submitted = []
  for (const text of ['1', '2', '3', '4', '5', '6', '7']) submitted.push(await runtime.submit({ session, text }))
  await Promise.all(submitted.map(ended))
  assert.equal(most, 1)
  assert.deepEqual(order, ['"0"', '"1"', '"2"', '"3"', '"4"', '"5"', '"6"', '"7"'])
  assert.deepEqual(
    model.calls.map(({ request }) => request.messages.length),
    [1, 3, 5, 7, 9, 11, 13, 15],
  )
  assert.deepEqual((await runtime.replay(session)).different, [])
})

test('sessions run side by side', async (t) => {
  const both = gate()
  const model = scriptedModel({
    answer: (_, n) => {
      if (n === 2) both.open()
      return { text: 'ok', before: () => both.passed }
    },
  })
  const { say } = await opened(t, { model })
  const turns = await Promise.all([say('here'), say('there')])
  assert.deepEqual(
    turns.map(({ outcome }) => outcome?.type),
    ['completed', 'completed'],
  )
})

test('more sessions than are kept at hand still run one turn at a time each, and in order', async (t) => {
  const runningIn = new Map<string, number>()
  let together = false
  const model = scriptedModel({
    answer: ({ messages }) => {
      const first = JSON.stringify(messages[0])
      runningIn.set(first, (runningIn.get(first) ?? 0) + 1)
      if (runningIn.get(first)! > 1) together = true
      return {
        text: 'ok',
        before: async (piece) => {
          await new Promise(setImmediate)
          if (piece === 1) runningIn.set(first, runningIn.get(first)! - 1)
        },
      }
    },
  })
  const { runtime, ended } = await opened(t, { model })
  const first = await Promise.all(Array.from({ length: 300 }, (_, n) => runtime.submit({ text: `session ${n}` })))
  const second = await Promise.all(first.map(({ session }) => runtime.submit({ session, text: 'more' })))
  const third = await Promise.all(first.map(({ session }) => runtime.submit({ session, text: 'even more' })))
  const views = await Promise.all([...first, ...second, ...third].map(ended))
  assert.ok(views.every(({ outcome }) => outcome?.type === 'completed'))
  assert.equal(together, false)
})

test('the same key is the same turn, and is answered once', async (t) => {
  const model = scriptedModel()
  const { runtime, say, ended } = await opened(t, { model })
  const { session } = await say('hello')
  const first = await runtime.submit({ session, text: 'book it', idempotencyKey: 'k1' })
  const again = await runtime.submit({ session, text: 'book it', idempotencyKey: 'k1' })
  assert.deepEqual(again, { ...first, repeated: true })
  await ended(again)
  const later = await runtime.submit({ session, text: 'book it', idempotencyKey: 'k1' })
  assert.deepEqual(later, { ...first, repeated: true })
  assert.equal((await ended(later)).text, 'ok')
  assert.equal(model.calls.length, 2)
})

test('a key without a session names the session, and racing submits are one turn', async (t) => {
  const model = scriptedModel()
  const { runtime, ended } = await opened(t, { model })
  const all = await Promise.all(
    Array.from({ length: 8 }, () => runtime.submit({ text: 'book it', idempotencyKey: 'only once' })),
  )
  assert.equal(new Set(all.map(({ session, turn }) => `${session} ${turn}`)).size, 1)
  assert.equal(all.filter(({ repeated }) => !repeated).length, 1)
  await ended(all[0]!)
  const { session } = all[0]!
  const racing = await Promise.all(
    Array.from({ length: 8 }, () => runtime.submit({ session, text: 'and this', idempotencyKey: 'and once more' })),
  )
  assert.equal(new Set(racing.map(({ turn }) => turn)).size, 1)
  await ended(racing[0]!)
  assert.equal(model.calls.length, 2)
  assert.equal((await runtime.store.sessions()).length, 1)
})

test('other input under a known key is refused, not taken for a repeat and lost', async (t) => {
  const { runtime, ended } = await opened(t)
  const first = await runtime.submit({ text: 'book it', idempotencyKey: 'k1' })
  await ended(first)
  const refused = { name: 'RuntimeError', code: 'key-reused', facts: { session: first.session, turn: first.turn } }
  await assert.rejects(runtime.submit({ text: 'cancel it', idempotencyKey: 'k1' }), refused)
  const { session } = first
  await assert.rejects(runtime.submit({ session, text: 'cancel it', idempotencyKey: 'k1' }), refused)
})

test('a key is known after a restart', async (t) => {
  const before = await opened(t)
  const first = await before.runtime.submit({ text: 'book it', idempotencyKey: 'k1' })
  await before.ended(first)
  const { runtime } = await before.reopened()
  assert.deepEqual(await runtime.submit({ text: 'book it', idempotencyKey: 'k1' }), { ...first, repeated: true })
})

test('a model is chosen by the configuration, by the session over it, and by the request over both', async (t) => {
  const [one, two, three] = ['one', 'two', 'three'].map((id) => scriptedModel({ id, answer: () => ({ text: id }) }))
  const before = await opened(t, { models: scriptedModels(one!, two!, three!) })
  const { session, text } = await before.say('who?')
  assert.equal(text, 'one')
  await before.runtime.setModel(session, 'two')
  assert.equal((await before.say('who?', { session })).text, 'two')
  assert.equal((await before.say('who?', { session, model: 'three' })).text, 'three')
  assert.equal((await before.say('who?')).text, 'one')

  const after = await before.reopened({ settings: { model: 'three' } })
  assert.equal((await after.say('who?', { session })).text, 'two')
  assert.equal((await after.say('who?')).text, 'three')
  await after.runtime.setModel(session, undefined)
  assert.equal((await after.say('who?', { session })).text, 'three')
  assert.deepEqual(await after.runtime.replay(session), { session, calls: 5, identical: 5, different: [] })
  const born = await after.runtime.newSession({ model: 'one', title: 'Mine' })
  assert.equal((await after.say('who?', { session: born.id })).text, 'one')
})

test('status counts what runs and what waits', async (t) => {
  const held = gate()
  const model = scriptedModel({ answer: () => ({ text: 'ok', before: () => held.passed }) })
  const { runtime, ended } = await opened(t, { model })
  const first = await runtime.submit({ text: '1' })
  const rest = [await runtime.submit({ session: first.session, text: '2' }), await runtime.submit({ text: '3' })]
  const { running, queued, recovered, model: current } = await runtime.status()
  assert.deepEqual([running, queued, recovered, current.id], [2, 1, 0, 'scripted'])
  held.open()
  await Promise.all([first, ...rest].map(ended))
  const after = await runtime.status()
  assert.deepEqual([after.running, after.queued], [0, 0])
})

test('closing keeps running and waiting turns for the next start, where they are answered in order', async (t) => {
  const speaking = gate()
  const model = scriptedModel({
    answer: () => ({
      text: 'one two three',
      before(piece) {
        if (piece === 1) speaking.open()
        return piece === 1 ? new Promise(() => {}) : undefined
      },
    }),
  })
  const before = await opened(t, { model })
  const first = await before.runtime.submit({ text: 'first' })
  const second = await before.runtime.submit({ session: first.session, text: 'second' })
  await speaking.passed
  const watched = Array.fromAsync(before.runtime.events(first.session, { turn: first.turn }))
  await new Promise(setImmediate)
  const calm = scriptedModel({ answer: () => ({ text: 'one two three' }) })
  const after = await before.reopened({ model: calm })
  const last = (await watched).at(-1)
  assert.deepEqual([last?.type, last?.type === 'interrupted' && last.code], ['interrupted', 'closing'])
  await assert.rejects(before.runtime.submit({ text: 'too late' }), { code: 'closing' })
  assert.equal((await after.ended(first)).text, 'one two three')
  assert.equal((await after.ended(second)).text, 'one two three')
  assert.equal((await after.runtime.status()).recovered, 2)
  assert.deepEqual(
    calm.calls.map(({ request }) => request.messages.length),
    [1, 3],
  )
  assert.deepEqual((await after.runtime.replay(first.session)).different, [])
})

test('a deleted session is gone, and one that runs is not deleted', async (t) => {
  const held = gate()
  const model = scriptedModel({ answer: () => ({ text: 'ok', before: () => held.passed }) })
  const { runtime, ended } = await opened(t, { model })
  const first = await runtime.submit({ text: 'hello' })
  await assert.rejects(runtime.deleteSession(first.session), { code: 'invalid-input' })
  held.open()
  const { calls } = await ended(first)
  await runtime.idle()
  assert.equal(await runtime.deleteSession(first.session), true)
  assert.equal(await runtime.deleteSession(first.session), false)
  assert.deepEqual(await runtime.store.sessions(), [])
  await assert.rejects(runtime.submit({ session: first.session, text: 'hello?' }), { code: 'not-found' })
  await assert.rejects(runtime.request(calls[0]!), { code: 'not-found' })
})

test('a turn that waited while another one was answered is replayed as it was, though a stop came between', async (t) => {
  const held = gate()
  const model = scriptedModel({ answer: () => ({ text: 'ok', before: () => held.passed }) })
  const closing = Promise.withResolvers<void>()
  const before = await opened(t, {
    model,
    around: (store) =>
      aroundEntries(store, async ({ bodies }, write) => {
        const written = await write()
        if (bodies.some(({ type }) => type === 'turn-end')) closing.resolve(before.runtime.close())
        return written
      }),
  })
  const first = await before.runtime.submit({ text: 'first' })
  const second = await before.runtime.submit({ session: first.session, text: 'second' })
  held.open()
  await closing.promise
  const later = scriptedModel()
  const after = await before.reopened({ model: later })
  await after.ended(second)
  assert.equal(later.calls[0]?.request.messages.length, 3)
  assert.deepEqual(await after.runtime.replay(first.session), {
    session: first.session,
    calls: 2,
    identical: 2,
    different: [],
  })
})

test('a message that waits can be taken back: no later call reads it, and every call can still be built again', async (t) => {
  const first = gate()
  const model = scriptedModel({
    answer: (_, n) => ({ text: 'ok', before: () => (n === 1 ? first.passed : undefined) }),
  })
  const { runtime, ended } = await opened(t, { model })
  const one = await runtime.submit({ text: 'one' })
  const { session } = one
  const two = await runtime.submit({ session, text: 'two', idempotencyKey: 'two' })
  const three = await runtime.submit({ session, text: 'three' })

  assert.equal(await runtime.withdraw(session, two.turn), true)
  assert.equal(await runtime.withdraw(session, two.turn), false, 'it does not wait any more')
  assert.equal(await runtime.withdraw(session, one.turn), false, 'it runs')
  await assert.rejects(runtime.submit({ session, text: 'two', idempotencyKey: 'two' }), { code: 'key-reused' })
  first.open()
  await ended(three)

  const said = model.calls.map(({ request }) => request.messages.map(({ content }) => content))
  assert.deepEqual(said.at(-1), ['one', [{ type: 'text', text: 'ok' }], 'three'])
  const heads = await runtime.store.entries(session, { types: ['head'] })
  assert.deepEqual(
    heads.map((entry) => entry.type === 'head' && [entry.turn, entry.head]),
    [[two.turn, one.turn]],
  )
  assert.equal((await runtime.store.turn(session, two.turn))?.state, 'undone')
  assert.deepEqual((await runtime.replay(session)).different, [])
})

test('an edit of words that somebody else has edited meanwhile is refused, with those words', async (t) => {
  const first = gate()
  const model = scriptedModel({
    answer: (_, n) => ({ text: 'ok', before: () => (n === 1 ? first.passed : undefined) }),
  })
  const { runtime, ended, store } = await opened(t, { model })
  const one = await runtime.submit({ text: 'one' })
  const { session } = one
  const { turn, seq: base } = await runtime.submit({ session, text: 'two' })
  const edits = ['mine', 'theirs'].map((text) => runtime.editWaiting(session, turn, { text, base }))
  const [mine, theirs] = await Promise.allSettled(edits)
  assert.equal(mine!.status, 'fulfilled')
  assert.ok(theirs!.status === 'rejected')
  const { code, facts, hint } = theirs!.reason as RuntimeError
  const now = (await store.entries(session, { turn, types: ['edit'] })).at(-1)!.seq
  assert.deepEqual([code, facts], ['changed', { session, turn, base: now, text: 'mine', attachments: [] }])
  assert.match(hint!, /send it again with this `base`/)
  await runtime.editWaiting(session, turn, { text: 'both', base: now })
  first.open()
  await ended({ session, turn })
  assert.equal(model.calls.at(-1)!.request.messages.at(-1)!.content, 'both')
})

test('a message that waits is edited in its place: the model reads the new one, and so does every later look', async (t) => {
  const first = gate()
  const model = scriptedModel({
    answer: (_, n) => ({ text: 'ok', before: () => (n === 1 ? first.passed : undefined) }),
  })
  const { runtime, ended } = await opened(t, { model })
  const one = await runtime.submit({ text: 'one' })
  const { session } = one
  const two = await runtime.submit({ session, text: 'two', idempotencyKey: 'two' })
  const three = await runtime.submit({ session, text: 'three' })

  await assert.rejects(runtime.editWaiting(session, one.turn, { text: 'late' }), { code: 'changed' })
  await assert.rejects(runtime.editWaiting(session, two.turn, { text: ' ' }), { code: 'invalid-input' })
  await assert.rejects(runtime.editWaiting(session, 'turn_unknown', { text: 'x' }), { code: 'not-found' })
  await Promise.all(['two, once', 'two, better'].map((text) => runtime.editWaiting(session, two.turn, { text })))
  assert.equal((await runtime.submit({ session, text: 'two', idempotencyKey: 'two' })).repeated, true)
  first.open()
  await ended(three)
  await assert.rejects(runtime.editWaiting(session, two.turn, { text: 'late' }), { code: 'changed' })

  const answered = [{ type: 'text', text: 'ok' }]
  const said = model.calls.map(({ request }) => request.messages.map(({ content }) => content))
  assert.deepEqual(said.at(-1), ['one', answered, 'two, better', answered, 'three'])
  assert.deepEqual((await runtime.replay(session)).different, [])
  const log = await runtime.store.entries(session, { turn: two.turn, types: ['input', 'edit'] })
  assert.deepEqual(
    log.map((entry) => (entry.type === 'input' || entry.type === 'edit') && entry.message.content),
    ['two', 'two, once', 'two, better'],
  )
})

test('a message that was edited while it waited is answered as edited after a restart', async (t) => {
  const model = scriptedModel({ answer: () => ({ text: 'ok', before: () => new Promise(() => {}) }) })
  const before = await opened(t, { model })
  const one = await before.runtime.submit({ text: 'one' })
  const two = await before.runtime.submit({ session: one.session, text: 'two' })
  await before.runtime.editWaiting(one.session, two.turn, { text: 'two, better' })
  const later = scriptedModel()
  const after = await before.reopened({ model: later })
  await after.ended(two)
  assert.equal(later.calls.at(-1)!.request.messages.at(-1)!.content, 'two, better')
  assert.deepEqual((await after.runtime.replay(one.session)).different, [])
})

test('more turns than may be open are refused with when to try again, whatever their sessions, and a repeat is no new one', async (t) => {
  const held = gate()
  const model = scriptedModel({ answer: () => ({ text: 'ok', before: () => held.passed }) })
  const { runtime, ended } = await opened(t, { model, settings: { maxOpenTurns: 2 } })
  const submitted = await Promise.allSettled(
    ['a', 'b', 'c'].map((text) => runtime.submit({ text, idempotencyKey: text })),
  )
  const accepted = submitted.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const refused = submitted.flatMap((each) => (each.status === 'rejected' ? [each.reason as RuntimeError] : []))
  assert.deepEqual(
    [accepted.length, refused.map(({ code, facts }) => [code, facts['retryAfterMs']])],
    [2, [['overloaded', 10_000]]],
  )
  assert.equal((await runtime.submit({ text: 'a', idempotencyKey: 'a' })).repeated, true)
  held.open()
  await Promise.all(accepted.map(ended))
  await runtime.idle()
  assert.equal((await runtime.submit({ text: 'c', idempotencyKey: 'c' })).repeated, false)
})
