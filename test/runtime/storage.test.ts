import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageText } from '../../src/context.ts'
import { type SessionStore, StoreError, type StoreErrorCode } from '../../src/session.ts'
import { scriptedModel } from '../../src/testing.ts'
import { collected, gate, opened, tool } from './opened.ts'

/** A store whose disk can fill up, or fail in another way. */
function filling(code: StoreErrorCode = 'full') {
  const disk = { full: false, refusals: 0, onRefusal: () => {} }
  const around = (store: SessionStore): SessionStore => {
    const refuse = () => {
      if (!disk.full) return
      disk.refusals += 1
      disk.onRefusal()
      throw new StoreError(code, code === 'full' ? 'The disk is full. Free some space.' : `The store failed: ${code}.`)
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

test('a store that fails in another way refuses input with another code, and says how', async (t) => {
  const { disk, around } = filling('io')
  const { runtime, say } = await opened(t, { around })
  const { session } = await say('hello')
  disk.full = true
  const refused = { name: 'RuntimeError', code: 'storage', message: /The store failed: io\./ }
  await assert.rejects(runtime.submit({ session, text: 'more' }), refused)
  await assert.rejects(runtime.newSession({}), refused)
})

for (const recovers of [false, true]) {
  const when = recovers ? 'although there is room again by then' : 'while the disk stays full'
  test(`a turn whose log cannot be written is interrupted, ${when}, and resumes at the next start`, async (t) => {
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
    assert.match(last.message, /disk is full.*resumes on its own/s)
    assert.match(before.warnings.join('\n'), /disk is full/)
    disk.full = false
    const model = scriptedModel()
    const after = await before.reopened({ model })
    const { text, outcome } = await after.ended(submitted)
    assert.deepEqual([text, outcome, runs], ['ok', { type: 'completed' }, 1])
    assert.match(JSON.stringify(model.calls[0]?.request.messages), /may or may not have taken effect/)
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

test('words that were shown before the disk was full are sent again after the restart, and appear once', async (t) => {
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

test('a turn that a full disk stopped is not begun again before a write has succeeded', async (t) => {
  const { disk, around } = filling()
  const model = scriptedModel({ answer: (_, n) => ({ text: 'ok', before: () => void (disk.full ||= n === 1) }) })
  const hour = 3_600_000
  const { runtime, warnings } = await opened(t, { model, around, settings: { storageRetryDelaysMs: [hour] } })
  const { session, turn } = await runtime.submit({ text: 'first' })
  await collected(runtime.events(session, { turn }))
  const { refusals } = disk
  // A turn that is tried without end lets nothing else run: it is let through, and found out below.
  disk.onRefusal = () => void (disk.full &&= disk.refusals < refusals + 20)
  for (let rounds = 0; rounds < 100; rounds += 1) await new Promise(setImmediate)
  const { running, queued } = await runtime.status()
  assert.deepEqual([running, queued, disk.refusals, warnings.length], [0, 1, refusals, 1])
})

test('a turn that a full disk stopped can be cancelled, and its session continues', async (t) => {
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

test('behind a stopped turn that is cancelled the next one runs at once', async (t) => {
  const { disk, around } = filling()
  const model = scriptedModel({ answer: (_, n) => ({ text: 'ok', before: () => void (disk.full ||= n === 1) }) })
  const hour = 3_600_000
  const { runtime, ended } = await opened(t, { model, around, settings: { storageRetryDelaysMs: [hour] } })
  const first = await runtime.submit({ text: 'first' })
  const second = await runtime.submit({ session: first.session, text: 'second' })
  await collected(runtime.events(first.session, { turn: first.turn }))
  disk.full = false
  assert.equal(await runtime.cancel(first.session, first.turn), true)
  assert.deepEqual((await ended(second)).outcome, { type: 'completed' })
})

for (const code of ['full', 'io', 'busy'] as const) {
  test(`turns that the store stopped (${code}) resume in order when it can be written`, async (t) => {
    const { disk, around } = filling(code)
    const model = scriptedModel({
      answer: (_, n) => ({ text: `answer ${n}`, before: () => void (disk.full ||= n === 1) }),
    })
    const { runtime, log, ended } = await opened(t, { model, around, settings: { storageRetryDelaysMs: [1] } })
    const first = await runtime.submit({ text: 'first' })
    const second = await runtime.submit({ session: first.session, text: 'second' })
    const interrupted = await collected(runtime.events(first.session, { turn: first.turn }))
    assert.equal(interrupted.at(-1)?.type, 'interrupted')
    // Its own tries find the disk full for a while.
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = disk.refusals
    disk.onRefusal = () => void (disk.refusals >= before + 3 && resolve())
    await promise
    disk.full = false

    await ended(second)
    const said = (await log(first.session)).flatMap((entry) => {
      if (entry.type === 'turn-end') return [entry.outcome.type]
      return entry.type === 'input' || entry.type === 'message' ? [messageText(entry.message)] : []
    })
    assert.deepEqual(said, ['first', 'second', 'answer 2', 'completed', 'answer 3', 'completed'])
    assert.equal(model.calls.length, 3)
    assert.deepEqual((await runtime.replay(first.session)).different, [])
  })
}

test('a turn that cannot be cancelled, because the disk is full, keeps its place', async (t) => {
  const { disk, around } = filling()
  const held = gate()
  const { runtime, ended } = await opened(t, {
    model: scriptedModel({ answer: () => ({ text: 'ok', before: () => held.passed }) }),
    around,
  })
  const first = await runtime.submit({ text: 'first' })
  const second = await runtime.submit({ session: first.session, text: 'second' })
  // The first call is on its way, so that nothing but the cancellation is written.
  for await (const event of runtime.events(first.session, {})) {
    if (event.type === 'entry' && event.entry.type === 'assembly') break
  }
  disk.full = true
  await assert.rejects(runtime.cancel(first.session, second.turn), { name: 'RuntimeError', code: 'storage-full' })
  disk.full = false
  held.open()
  assert.deepEqual((await ended(first)).outcome, { type: 'completed' })
  assert.deepEqual((await ended(second)).outcome, { type: 'completed' })
})
