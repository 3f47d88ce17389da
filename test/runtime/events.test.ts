import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SessionEvent } from '../../src/runtime.ts'
import type { SessionStore } from '../../src/session.ts'
import { scriptedModel } from '../../src/testing.ts'
import { collected, gate, type Opened, opened, tool, upTo } from './opened.ts'

/** What an event tells, without its id. */
function told(event: SessionEvent): string {
  if (event.type === 'entry') return `${event.entry.seq} ${event.entry.type}`
  return event.type === 'interrupted' || event.type === 'retry' ? event.code : event.text
}

test('deltas come in order, and the message that follows holds the same text', async (t) => {
  const model = scriptedModel({ answer: () => ({ reasoning: 'Hm.', text: ['He', 'llo ', 'there'] }) })
  const { runtime } = await opened(t, { model })
  const { session, turn } = await runtime.submit({ text: 'hello' })
  const events = await collected(runtime.events(session, { turn }))
  const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
  const message = events.find((event) => event.type === 'entry' && event.entry.type === 'message')
  assert.equal(text, 'Hello there')
  assert.deepEqual(message?.type === 'entry' && message.entry.type === 'message' && message.entry.message.content, [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Hello there' },
  ])
  const afterMessage = events.slice(events.indexOf(message!) + 1)
  assert.ok(afterMessage.every((event) => event.type === 'entry'))
  assert.deepEqual(events.map(told).slice(0, 3), ['2 input', '3 turn-start', '4 assembly'])
  assert.equal(events.map(told).at(-1), '7 turn-end')
})

test('who waits for a turn hears of its end alone, or that nobody is to wait any more', async (t) => {
  const goOn = gate()
  const model = scriptedModel({
    async answer(request) {
      if (JSON.stringify(request).includes('second')) await goOn.passed
      return { text: 'Yes.' }
    },
  })
  const { runtime, store } = await opened(t, { model })
  const never = new AbortController().signal
  const { session, turn: first } = await runtime.submit({ text: 'first' })
  const { turn: second } = await runtime.submit({ text: 'second', session })
  const left = new AbortController()
  const ended: string[] = []
  const waits = [
    runtime.waitForTurn(session, second, left.signal).then(() => ended.push('left')),
    runtime.waitForTurn(session, second, never).then(() => ended.push('second')),
    runtime.waitForTurn(session, first, never).then(() => ended.push('first')),
  ]
  await waits[2]
  assert.deepEqual(ended, ['first'])
  assert.equal((await store.turn(session, first))!.state, 'completed')
  left.abort()
  await waits[0]
  goOn.open()
  await waits[1]
  assert.deepEqual(ended, ['first', 'left', 'second'])
  assert.equal((await store.turn(session, second))!.state, 'completed')
  await runtime.waitForTurn(session, second, never)
  await assert.rejects(runtime.waitForTurn(session, 'none', never), { code: 'not-found' })
})

test('entries that are written while a long session is read arrive once, and in order', async (t) => {
  const { runtime, store } = await opened(t)
  const { id: session } = await runtime.newSession({})
  const chosen = Array.from({ length: 600 }, () => ({ type: 'model', model: null }) as const)
  await store.append(session, chosen, '2026-01-01T00:00:00.000Z')
  const seen: number[] = []
  for await (const event of runtime.events(session, {})) {
    if (event.type !== 'entry') continue
    seen.push(event.entry.seq)
    if (seen.length === 1) await runtime.setModel(session, undefined)
    if (seen.length === 602) await runtime.setModel(session, undefined)
    if (event.entry.seq === 603) break
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 603 }, (_, index) => index + 1),
  )
})

test('a reader who catches up with a long answer lets everybody else run meanwhile', async (t) => {
  const spoken = gate()
  const goOn = gate()
  const model = scriptedModel({
    answer: () => ({
      text: Array.from({ length: 20 }, () => 'word '),
      before(piece) {
        if (piece === 19) spoken.open()
        return piece === 19 ? goOn.passed : undefined
      },
    }),
  })
  const { runtime } = await opened(t, { model })
  const { session, turn } = await runtime.submit({ text: 'hello' })
  await spoken.passed
  let words = 0
  let meanwhile: number | undefined
  for await (const event of runtime.events(session, { turn })) {
    if (event.type !== 'text-delta') continue
    words += 1
    if (words === 1) setImmediate(() => (meanwhile = words))
    if (words === 19) goOn.open()
    const until = performance.now() + 12
    while (performance.now() < until);
  }
  assert.equal(words, 20)
  assert.ok(meanwhile! < 5, `after ${meanwhile} words`)
})

test('a reader who comes back with the id of any event gets exactly what came after it', async (t) => {
  const spoken = gate()
  const goOn = gate()
  const look = tool('look', async () => ({ ok: true, output: 'blue' }))
  const model = scriptedModel({
    answer: (_, n) => {
      if (n === 1) return { text: 'let me look', toolCalls: [{ name: 'look', input: {} }] }
      if (n > 2) return { text: 'and more words' }
      return {
        text: 'one two three four five',
        before(piece) {
          if (piece === 3) spoken.open()
          return piece === 3 ? goOn.passed : undefined
        },
      }
    },
  })
  const { runtime, ended } = await opened(t, { model, tools: [look] })
  const first = await runtime.submit({ text: 'go' })
  const { session } = first
  const whole = upTo(runtime, session, 19)
  await spoken.passed
  // Input that comes while a call is running stands between its words.
  const second = await runtime.submit({ session, text: 'and then?' })

  const seen = await readNow(runtime, session)
  const rests = seen.map(({ id }) => upTo(runtime, session, 19, id))
  const turnRests = seen
    .filter((event) => event.type !== 'entry' || ('turn' in event.entry && event.entry.turn === first.turn))
    .map(({ id }) => collected(runtime.events(session, { turn: first.turn, after: id })))
  await new Promise(setImmediate)
  goOn.open()
  await Promise.all([ended(first), ended(second)])

  const all = await whole
  assert.deepEqual(
    entrySeqs(all),
    [...Array(19).keys()].map((index) => index + 1),
  )
  assert.deepEqual(wordsOf(all), 'let me look one two three four five and more words')
  for (const [index, rest] of rests.entries()) {
    const pieced = [...seen.slice(0, index + 1), ...(await rest)]
    assert.deepEqual(entrySeqs(pieced), entrySeqs(all), `resumed after ${seen[index]!.id}`)
    assertProvisional(pieced)
    assert.equal(spokenBy(pieced, 2), 'one two three four five ', `resumed after ${seen[index]!.id}`)
    assert.equal(spokenBy(pieced, 3), 'and more words ', `resumed after ${seen[index]!.id}`)
  }
  for (const rest of turnRests) {
    const events = await rest
    const end = events.at(-1)
    assert.ok(end?.type === 'entry' && end.entry.type === 'turn-end' && end.entry.turn === first.turn)
  }
  for (const { id } of all) {
    const later = await upTo(runtime, session, 19, id === '19' ? '18' : id)
    assert.ok(later.every((event) => event.type === 'entry'))
  }
})

test('a reader who is disconnected after every event gets each word once, also around input that was read from the log', async (t) => {
  const spoken = gate()
  const goOn = gate()
  const model = scriptedModel({
    answer: (_, n) => ({
      text: n === 1 ? 'one two three four five' : 'more',
      before(piece) {
        if (n > 1 || piece !== 3) return undefined
        spoken.open()
        return goOn.passed
      },
    }),
  })
  const { runtime, ended } = await opened(t, { model })
  const first = await runtime.submit({ text: 'go' })
  const { session } = first
  await spoken.passed
  const events: SessionEvent[] = []
  for await (const event of runtime.events(session, {})) {
    events.push(event)
    if (event.type === 'text-delta' && event.text.startsWith('two')) break
  }
  // This entry comes from the log, and words of the call that runs come after it.
  const second = await runtime.submit({ session, text: 'and then?' })
  const isOver = () => events.some((event) => event.type === 'entry' && event.entry.type === 'turn-end')
  while (!isOver()) {
    if (wordsOf(events).endsWith('three')) goOn.open()
    for await (const event of runtime.events(session, { after: events.at(-1)!.id })) {
      events.push(event)
      break
    }
  }
  await Promise.all([ended(first), ended(second)])
  assert.equal(wordsOf(events), 'one two three four five')
  const seqs = entrySeqs(events)
  assert.deepEqual(
    seqs,
    seqs.map((_, index) => index + 1),
  )
})

/** No word is told behind the message that holds it. */
function assertProvisional(events: readonly SessionEvent[]): void {
  const settled = new Set<string | undefined>()
  for (const event of events) {
    if (event.type === 'text-delta') assert.ok(!settled.has(event.call), `${event.text} stands behind its message`)
    if (event.type === 'entry' && event.entry.type === 'message') settled.add(event.entry.call)
  }
}

/** Everything that can be seen at this moment. */
async function readNow(runtime: Opened['runtime'], session: string): Promise<readonly SessionEvent[]> {
  const stop = new AbortController()
  const events: SessionEvent[] = []
  for await (const event of runtime.events(session, { signal: stop.signal })) {
    events.push(event)
    if (event.type === 'text-delta' && event.text.startsWith('three')) stop.abort()
  }
  return events
}

function entrySeqs(events: readonly SessionEvent[]): readonly number[] {
  return events.flatMap((event) => (event.type === 'entry' ? [event.entry.seq] : []))
}

function wordsOf(events: readonly SessionEvent[]): string {
  return events.flatMap((event) => (event.type === 'text-delta' ? [event.text.trim()] : [])).join(' ')
}

/** The words of the nth call of the session, as the reader saw them: by deltas, or by the message where none came. */
function spokenBy(events: readonly SessionEvent[], n: number): string {
  const calls = [
    ...new Set(events.flatMap((e) => (e.type === 'entry' && e.entry.type === 'assembly' ? [e.entry.call] : []))),
  ]
  return events
    .flatMap((event) => (event.type === 'text-delta' && event.call === calls[n - 1] ? [`${event.text.trim()} `] : []))
    .join('')
}

test('a reader who comes late reads the log, and no word twice', async (t) => {
  const { runtime, say } = await opened(t)
  const { session, turn } = await say('hello')
  const events = await collected(runtime.events(session, { turn }))
  assert.deepEqual(events.map(told), ['2 input', '3 turn-start', '4 assembly', '5 message', '6 usage', '7 turn-end'])
  assert.deepEqual(await collected(runtime.events(session, { turn, after: '7' })), [])
  assert.deepEqual((await collected(runtime.events(session, { turn, after: '5' }))).map(told), [
    '6 usage',
    '7 turn-end',
  ])
  assert.deepEqual(await collected(runtime.events(session, { turn, after: 'live' })), [])
})

test('a reader who reads the log while a call comes to its end reads its message, and no word of it twice', async (t) => {
  const spoken = gate()
  const goOn = gate()
  const { log, around } = slowLog()
  const model = scriptedModel({
    answer: () => ({
      text: 'one two three four',
      before(piece) {
        if (piece === 2) spoken.open()
        return piece === 2 ? goOn.passed : undefined
      },
    }),
  })
  const { runtime, ended } = await opened(t, { model, around })
  const submitted = await runtime.submit({ text: 'count' })
  const { session } = submitted
  await spoken.passed
  log.isSlow = true
  const late = upTo(runtime, session, 7)
  await log.asked.passed
  log.isSlow = false
  // Words stand before the reader came and behind it; then their message stands in the log, which it has not read yet.
  goOn.open()
  await ended(submitted)
  log.answers.open()
  assert.deepEqual((await late).map(told), [
    '1 session-start',
    '2 input',
    '3 turn-start',
    '4 assembly',
    '5 message',
    '6 usage',
    '7 turn-end',
  ])
})

test('a reader who joins during a call reads every word of it once, and in order', async (t) => {
  const gates = { 2: [gate(), gate()], 4: [gate(), gate()] } as const
  const model = scriptedModel({
    answer: () => ({
      text: 'one two three four',
      before(piece) {
        if (piece !== 2 && piece !== 4) return undefined
        const [reached, goOn] = gates[piece]
        reached.open()
        return goOn.passed
      },
    }),
  })
  const { log, around } = slowLog()
  const { runtime } = await opened(t, { model, around })
  const { session } = await runtime.submit({ text: 'count' })
  await gates[2][0].passed
  log.isSlow = true
  const late = upTo(runtime, session, 7)
  await log.asked.passed
  log.isSlow = false
  // One word stands before the reader came; two more are said while it reads the log.
  gates[2][1].open()
  await gates[4][0].passed
  log.answers.open()
  gates[4][1].open()
  assert.deepEqual((await late).slice(4).map(told), [
    'one ',
    'two ',
    'three ',
    'four',
    '5 message',
    '6 usage',
    '7 turn-end',
  ])
})

test('a reader who comes after a waiting message was taken back reads every word of the call that runs', async (t) => {
  const [reached, goOn] = [gate(), gate()]
  const model = scriptedModel({
    answer: () => ({
      text: 'one two three four',
      before(piece) {
        if (piece !== 2) return undefined
        reached.open()
        return goOn.passed
      },
    }),
  })
  const { runtime } = await opened(t, { model })
  const { session, turn } = await runtime.submit({ text: 'count' })
  await reached.passed
  const { turn: waits } = await runtime.submit({ session, text: 'wait' })
  assert.equal(await runtime.withdraw(session, waits), true)
  const words: string[] = []
  for await (const event of runtime.events(session, {})) {
    if (event.type === 'text-delta') words.push(event.text)
    // Somebody who comes back with the id of any event gets what came after it.
    if (words.length === 1) {
      const { value } = await runtime.events(session, { after: event.id })[Symbol.asyncIterator]().next()
      assert.equal(value === undefined ? undefined : told(value), 'two ')
    }
    if (words.length === 2) goOn.open()
    if (event.type === 'entry' && event.entry.type === 'turn-end' && event.entry.turn === turn) break
  }
  assert.deepEqual(words, ['one ', 'two ', 'three ', 'four'])
})

/** A log that, where it is slow, answers a question only once it may. */
function slowLog() {
  const log = { isSlow: false, asked: gate(), answers: gate() }
  const around = (store: SessionStore): SessionStore => ({
    ...store,
    async entries(session, options) {
      if (log.isSlow) {
        log.asked.open()
        await log.answers.passed
      }
      return store.entries(session, options)
    },
  })
  return { log, around }
}

test('two readers see the same, and one that leaves harms nobody', async (t) => {
  const start = gate()
  const model = scriptedModel({ answer: () => ({ text: 'one two three', before: () => start.passed }) })
  const { runtime } = await opened(t, { model })
  const { session, turn } = await runtime.submit({ text: 'hello' })
  const [one, two] = [collected(runtime.events(session, { turn })), collected(runtime.events(session, { turn }))]
  for await (const event of runtime.events(session, { turn })) {
    if (event.type === 'entry') break
  }
  await new Promise(setImmediate)
  start.open()
  assert.deepEqual((await one).map(told), (await two).map(told))
  assert.equal((await one).filter(({ type }) => type === 'text-delta').length, 3)
})

test('a reader of live events gets no past events', async (t) => {
  const { runtime, say, ended } = await opened(t)
  const { session } = await say('first')
  const stop = new AbortController()
  const events: SessionEvent[] = []
  const reading = (async () => {
    for await (const event of runtime.events(session, { after: 'live', signal: stop.signal })) {
      events.push(event)
      if (event.type === 'entry' && event.entry.type === 'turn-end') stop.abort()
    }
  })()
  await new Promise(setImmediate)
  await ended(await runtime.submit({ session, text: 'second' }))
  await reading
  assert.deepEqual(events.map(told), [
    '8 input',
    '9 turn-start',
    '10 assembly',
    'ok',
    '11 message',
    '12 usage',
    '13 turn-end',
  ])
})

test('a reader who is too slow is disconnected and can resume', async (t) => {
  const words = Array.from({ length: 60_000 }, (_, index) => `${index} `)
  const slowly = gate()
  const model = scriptedModel({
    answer: () => ({ text: words, before: (piece) => (piece === 55_000 ? slowly.passed : undefined) }),
  })
  const { runtime, ended } = await opened(t, { model })
  const submitted = await runtime.submit({ text: 'count' })
  const { session, turn } = submitted
  const seen: SessionEvent[] = []
  for await (const event of runtime.events(session, { turn })) {
    seen.push(event)
    if (seen.length === 3) {
      while (!(await saidBy(runtime, session, turn, 55_000))) await new Promise(setImmediate)
    }
    if (event.type === 'text-delta' && event.text === '100 ') {
      slowly.open()
      await ended(submitted)
    }
  }
  const deltas = seen.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))
  assert.ok(deltas.length >= 1000 && deltas.length < words.length)
  assert.ok(deltas.join('') === words.slice(0, deltas.length).join(''), 'a word is missing in the middle')
  assert.ok(seen.every((event) => event.type !== 'entry' || event.entry.type !== 'turn-end'))
  const rest = await collected(runtime.events(session, { turn, after: seen.at(-1)!.id }))
  assert.deepEqual(rest.map(told), ['5 message', '6 usage', '7 turn-end'])
})

async function saidBy(runtime: Opened['runtime'], session: string, turn: string, words: number): Promise<boolean> {
  const stop = new AbortController()
  let count = 0
  setImmediate(() => stop.abort())
  for await (const event of runtime.events(session, { turn, signal: stop.signal })) {
    if (event.type === 'text-delta') count += 1
    if (count >= words) return true
  }
  return false
}

test('an id that is none, a session and a turn that are not there are refused', async (t) => {
  const { runtime, say } = await opened(t)
  const { session } = await say('hello')
  const first = (options: { after?: string; turn?: string }, of = session) => runtime.events(of, options).next()
  await assert.rejects(first({ after: 'yesterday' }), { code: 'invalid-input' })
  await assert.rejects(first({ turn: 'turn_nowhere' }), { code: 'not-found' })
  await assert.rejects(first({}, 'session_nowhere'), { code: 'not-found' })
})
