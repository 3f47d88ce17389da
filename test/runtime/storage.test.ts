import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SessionStore, StoreError } from '../../src/session.ts'
import { scriptedModel } from '../../src/testing.ts'
import { collected, gate, opened, tool } from './opened.ts'

/** A store whose disk can fill up. */
function filling() {
  const disk = { full: false }
  const around = (store: SessionStore): SessionStore => {
    const refuse = () => {
      if (disk.full) throw new StoreError('full', 'The disk is full. Free some space.')
    }
    return {
      ...store,
      async append(...args) {
        refuse()
        return store.append(...args)
      },
      async transaction(...args) {
        refuse()
        return store.transaction(...args)
      },
      async putCall(...args) {
        refuse()
        return store.putCall(...args)
      },
      async finishCall(...args) {
        refuse()
        return store.finishCall(...args)
      },
      async putContent(...args) {
        refuse()
        return store.putContent(...args)
      },
      async putValue(...args) {
        refuse()
        return store.putValue(...args)
      },
    }
  }
  return { disk, around }
}

test('on a full disk input is refused with a clear code, and nothing else is lost', async (t) => {
  const { disk, around } = filling()
  const { runtime, say } = await opened(t, { around })
  const { session } = await say('hello')
  disk.full = true
  const refused = { name: 'RuntimeError', code: 'storage-full' }
  await assert.rejects(runtime.submit({ session, text: 'more' }), refused)
  await assert.rejects(runtime.submit({ text: 'new' }), refused)
  await assert.rejects(runtime.newSession({}), refused)
  await assert.rejects(runtime.setModel(session, undefined), refused)
  disk.full = false
  assert.equal((await say('more', { session })).text, 'ok')
})

for (const recovers of [false, true]) {
  const when = recovers ? 'although there is room again by then' : 'while the disk stays full'
  test(`a turn whose log cannot be written is interrupted, ${when}, and goes on at the next start`, async (t) => {
    const { disk, around } = filling()
    let runs = 0
    const once = tool('once', async () => {
      runs += 1
      disk.full = true
      if (recovers) setImmediate(() => (disk.full = false))
      return { ok: true, output: 'done' }
    })
    const answer = (_: unknown, n: number) =>
      n === 1 ? { toolCalls: [{ id: 'a', name: 'once', input: {} }] } : { text: 'ok' }
    const before = await opened(t, { model: scriptedModel({ answer }), tools: [once], around })
    const submitted = await before.runtime.submit({ text: 'do it' })
    const last = (await collected(before.runtime.events(submitted.session, { turn: submitted.turn }))).at(-1)
    assert.ok(last?.type === 'interrupted')
    assert.equal(last.code, 'storage-full')
    assert.match(last.message, /disk is full.*goes on .*at the next start/s)
    assert.match(before.warnings.join('\n'), /disk is full/)
    disk.full = false
    const model = scriptedModel()
    const after = await before.reopened({ model })
    const { text, outcome } = await after.ended(submitted)
    assert.deepEqual([text, outcome, runs], ['ok', { type: 'completed' }, 1])
    assert.match(JSON.stringify(model.asked[0]?.request.messages), /may or may not have taken effect/)
    assert.deepEqual((await after.runtime.replay(submitted.session)).different, [])
    const left = await after.store.audit({ turn: submitted.turn })
    assert.deepEqual(
      left.map(({ kind, ok, rule }) => [kind, ok, rule]),
      [
        ['decision', undefined, 'global.mode'],
        ['call', false, 'interrupted'],
      ],
    )
  })
}

test('words that were shown before the disk was full are said again after the restart, and stand once', async (t) => {
  const { disk, around } = filling()
  const spoken = gate()
  const model = scriptedModel({
    answer: () => ({
      text: 'one two three',
      before(piece) {
        if (piece === 2) disk.full = true
        if (piece === 2) spoken.open()
        return undefined
      },
    }),
  })
  const before = await opened(t, { model, around })
  const submitted = await before.runtime.submit({ text: 'count' })
  await spoken.passed
  const last = (await collected(before.runtime.events(submitted.session, { turn: submitted.turn }))).at(-1)
  assert.equal(last?.type, 'interrupted')
  disk.full = false
  const after = await before.reopened({ model: scriptedModel({ answer: () => ({ text: 'one two three' }) }) })
  assert.equal((await after.ended(submitted)).text, 'one two three')
  const messages = (await after.log(submitted.session)).filter(({ type }) => type === 'message')
  assert.equal(messages.length, 1)
})

test('a turn that a full disk stopped keeps its place: what is said next in its session comes behind it', async (t) => {
  const { disk, around } = filling()
  const model = scriptedModel({
    answer: (_, n) => ({ text: `answer ${n}`, before: () => void (disk.full = n === 1) }),
  })
  const { runtime, ended, log } = await opened(t, { model, around })
  const first = await runtime.submit({ text: 'first' })
  const last = (await collected(runtime.events(first.session, { turn: first.turn }))).at(-1)
  assert.ok(last?.type === 'interrupted')
  assert.match(last.message, /disk is full.*goes on with the next message of its session/s)
  disk.full = false
  const second = await runtime.submit({ session: first.session, text: 'second' })
  assert.equal((await ended(second)).text, 'answer 3')
  assert.equal((await ended(first)).text, 'answer 2')
  const ends = (await log(first.session)).filter(({ type }) => type === 'turn-end')
  assert.deepEqual(
    ends.map((entry) => 'turn' in entry && entry.turn),
    [first.turn, second.turn],
  )
  assert.deepEqual((await runtime.replay(first.session)).different, [])
})

test('a turn that a full disk stopped can be cancelled, and its session goes on', async (t) => {
  const { disk, around } = filling()
  const model = scriptedModel({ answer: (_, n) => ({ text: 'ok', before: () => void (disk.full = n === 1) }) })
  const { runtime, say, ended } = await opened(t, { model, around })
  const first = await runtime.submit({ text: 'first' })
  await collected(runtime.events(first.session, { turn: first.turn }))
  disk.full = false
  assert.equal(await runtime.cancel(first.session, first.turn), true)
  assert.deepEqual((await ended(first)).outcome, { type: 'cancelled' })
  assert.equal((await say('second', { session: first.session })).text, 'ok')
})
