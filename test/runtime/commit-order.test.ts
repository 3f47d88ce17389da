import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { SessionEvent, SubmittedTurn } from '../../src/runtime.ts'
import { createSessionStates } from '../../src/runtime/sessions/session-state.ts'
import { type Entry, openStore } from '../../src/session.ts'
import { scriptedModel } from '../../src/testing.ts'
import { aroundEntries, gate, opened, upTo } from './opened.ts'
import { assertWhole, busySession } from './two-writers.ts'
import { systemClock } from '../../src/platform.ts'

test('a turn whose input was written together with the end of the turn before it is replayed as it was sent', async (t) => {
  let second: Promise<SubmittedTurn> | undefined
  const { runtime, say, ended } = await opened(t, {
    around: (store) =>
      aroundEntries(store, ({ session, bodies }, write) => {
        const written = write()
        // The input is handed in behind the end, and both reach the disk in one commit.
        if (bodies.some(({ type }) => type === 'turn-end')) second ??= runtime.submit({ session, text: 'second' })
        return written
      }),
  })
  const { session } = await say('first')
  await ended(await second!)
  assert.deepEqual(await runtime.replay(session), { session, calls: 2, identical: 2, different: [] })
})

test('a turn that begins while the cancellation of the one before it is written waits for that, and is replayed as it was sent', async (t) => {
  const held = gate()
  const answering = gate()
  const cancelled = Promise.withResolvers<void>()
  const { runtime, ended } = await opened(t, {
    model: scriptedModel({ answer: () => ({ text: 'ok', before: () => answering.passed }) }),
    around: (store) => ({
      ...aroundEntries(store, async ({ bodies }, write) => {
        const isCancelled = bodies.some((body) => body.type === 'turn-end' && body.outcome.type === 'cancelled')
        if (isCancelled) await held.passed
        const written = await write()
        if (isCancelled) cancelled.resolve()
        return written
      }),
      async recentTurns(session, options) {
        const turns = await store.recentTurns(session, options)
        if (options.upTo !== undefined) return turns
        // Whoever has read the history before the cancellation was written finds it in the log a moment later.
        held.open()
        await cancelled.promise
        return turns
      },
    }),
  })
  const first = await runtime.submit({ text: 'first' })
  const { session } = first
  const second = await runtime.submit({ session, text: 'second' })
  const third = await runtime.submit({ session, text: 'third' })
  const cancelling = runtime.cancel(session, second.turn)
  answering.open()
  await ended(first)
  for (let tick = 0; tick < 20; tick += 1) await new Promise(setImmediate)
  held.open()
  assert.equal(await cancelling, true)
  await ended(third)
  assert.deepEqual(await runtime.replay(session), { session, calls: 2, identical: 2, different: [] })
})

test('a reader gets the entries of two writers in the order of the log, wherever it resumes', async (t) => {
  const { runtime, session, begin, rest } = await busySession(t)
  const over = new AbortController()
  const steady: SessionEvent[] = []
  const hasty: SessionEvent[] = []

  const reading = (async () => {
    for await (const event of runtime.events(session, { signal: over.signal })) steady.push(event)
  })()
  /** Comes back after every single event. */
  const comingBack = (async () => {
    while (!over.signal.aborted) {
      const after = hasty.at(-1)?.id
      const options = { signal: over.signal, ...(after === undefined ? {} : { after }) }
      for await (const event of runtime.events(session, options)) {
        hasty.push(event)
        break
      }
    }
  })()
  await begin()
  const log = await rest
  const last = log.at(-1)!.seq
  while (![steady, hasty].every((seen) => seen.some((event) => event.type === 'entry' && event.entry.seq === last))) {
    await new Promise(setImmediate)
  }
  over.abort()
  await Promise.all([reading, comingBack])
  assertWhole(steady, log)
  assertWhole(hasty, log)

  // A reader who was away at any moment misses nothing and hears nothing twice.
  for (const [index, { id }] of steady.slice(0, -1).entries()) {
    assertWhole([...steady.slice(0, index + 1), ...(await upTo(runtime, session, last, id))], log)
  }
  assert.deepEqual((await runtime.replay(session)).different, [])
})

test('a reader that has read an answer before the disk confirmed it gets none of its words again', async (t) => {
  const confirmed = gate()
  const { runtime, store, ended } = await opened(t, {
    model: scriptedModel({
      answer: () => ({ text: 'It is here once.', before: async () => holdDisk(t, confirmed.passed) }),
    }),
  })
  const submitted = await runtime.submit({ text: 'first' })
  const { session } = submitted
  let read: readonly Entry[] = []
  while (!read.some(({ type }) => type === 'turn-end')) {
    await new Promise(setImmediate)
    read = await store.entries(session)
  }
  const over = new AbortController()
  const options = { after: String(read.at(-1)!.seq), signal: over.signal }
  const events = Array.fromAsync(runtime.events(session, options))
  for (let tick = 0; tick < 20; tick += 1) await new Promise(setImmediate)
  confirmed.open()
  await ended(submitted)
  over.abort()
  assert.deepEqual(await events, [])
})

/** From now on the disk confirms nothing that is written until `until`. */
function holdDisk(t: TestContext, until: Promise<void>): void {
  const { fdatasync } = fs
  const restore = () => {
    fs.fdatasync = fdatasync
    syncBuiltinESMExports()
  }
  fs.fdatasync = ((file: number, done: (error: Error | null) => void) => {
    void until.then(() => fdatasync(file, done))
  }) as typeof fdatasync
  syncBuiltinESMExports()
  t.after(restore)
}

test('entries are published in the order of seq, with any writer', async (t) => {
  const { store } = await opened(t)
  const desks = createSessionStates(store)
  const { session, seq } = (await store.append('a', [{ type: 'session-start' }], time))[0]!
  const desk = (await desks.of(session))!
  const told: number[] = [seq]
  desk.stream.subscribe((event) => void (event.type === 'entry' && told.push(event.entry.seq)))
  const model = { type: 'model', model: 'other' } as const
  await Promise.all(
    Array.from({ length: 30 }, async (_, n) => {
      if (n % 3 === 0) await store.transaction([{ type: 'append', session, bodies: [model, model], time }])
      else await store.append(session, [model], time)
      assert.ok(desk.stream.lastSeq() >= n + 2, 'what was written is published before its writer goes on')
    }),
  )
  assert.deepEqual(
    told,
    (await store.entries(session)).map((entry) => entry.seq),
  )
  assert.equal(desk.model, 'other')
})

test('what is written while a desk is made is not lost on it', async (t) => {
  const { store } = await opened(t)
  await store.append('a', [{ type: 'session-start' }], time)
  const desks = createSessionStates({
    ...store,
    async calls(session, options) {
      await store.append(session, [{ type: 'model', model: 'other' }], time)
      return store.calls(session, options)
    },
  })
  const desk = (await desks.of('a'))!
  assert.deepEqual([desk.stream.lastSeq(), desk.model], [2, 'other'])
})

test('entries of another process arrive in their place', async (t) => {
  const { runtime, store, home, say, log } = await opened(t)
  const { session } = await say('first')
  const before = (await log(session)).length
  const over = new AbortController()
  const seen: number[] = []
  const reading = (async () => {
    for await (const event of runtime.events(session, { after: 'live', signal: over.signal })) {
      if (event.type !== 'entry') continue
      seen.push(event.entry.seq)
      if (event.entry.type === 'turn-end') over.abort()
    }
  })()
  await new Promise(setImmediate)
  const other = await openStore({ clock: systemClock, path: join(home, 'store.sqlite') })
  await other.append(session, [{ type: 'model', model: null }], time)
  await other.close()
  await say('second', { session })
  await reading
  assert.deepEqual(
    seen,
    (await store.entries(session, { after: before })).map(({ seq }) => seq),
  )
  assert.deepEqual((await runtime.replay(session)).different, [])
})

const time = '2026-01-01T00:00:00.000Z'
