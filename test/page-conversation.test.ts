import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Arbitrary, array, assert as holds, boolean, nat, property } from 'fast-check'
import type { SessionEvent } from '../src/capability.ts'
import type { Entry, EntryBody } from '../src/session.ts'
import {
  type Conversation,
  conversationOf,
  emptyConversation,
  withEarlier,
  withEvent,
} from '../web/src/log/conversation.ts'
import { partRuns } from '../web/src/log/turn-parts.ts'
import { nextSpoken, type Spoken } from '../web/src/chat/spoken-answer.ts'

const tokens = { counter: 'chars@1', full: 1, least: 1 } as const

test('however the log is cut into pages and events, the conversation is the same', () => {
  holds(
    property(logs(), nat(), nat(), (entries, one, other) => {
      const whole = conversationOf(entries)
      // The newest page of a log is empty only where the log is.
      const low = one % entries.length
      const high = low + 1 + (other % (entries.length - low))
      let conversation = conversationOf(entries.slice(low, high))
      for (const entry of entries.slice(high)) conversation = withEvent(conversation, eventOf(entry), 0)
      conversation = withEarlier(conversation, entries.slice(0, low))
      assert.deepEqual(shown(conversation), shown(whole))
    }),
  )
})

test('an event that was seen before changes nothing', () => {
  holds(
    property(logs(), nat(), (entries, at) => {
      const whole = conversationOf(entries)
      const entry = entries[at % entries.length]!
      assert.equal(withEvent(whole, eventOf(entry), 0), whole)
    }),
  )
})

test('calls of tools that follow each other are drawn together, with the reasoning between them', () => {
  const part = (type: string) => ({ type }) as Parameters<typeof partRuns>[0][number]
  const drawn = (types: string) =>
    partRuns([...types.matchAll(/\w/g)].map(([letter]) => part({ t: 'tool', r: 'reasoning', w: 'text' }[letter]!)))
      .map(({ from, parts }) => `${from}:${parts.map(({ type }) => (type === 'text' ? 'w' : type[0])).join('')}`)
      .join(' ')
  assert.equal(drawn(''), '')
  assert.equal(drawn('rwttrtw'), '0:r 1:w 2:ttrt 6:w')
  assert.equal(drawn('trwrt'), '0:t 1:r 2:w 3:r 4:t')
  assert.equal(drawn('trtr'), '0:trt 3:r')
})

test('words that arrive are shown at once, and the message of the log takes their place', () => {
  const [input, started, message] = turnEntries('a', 1) as [Entry, Entry, Entry]
  let conversation = emptyConversation
  for (const event of [eventOf(input), eventOf(started), delta('2.1', 'he'), delta('2.2', 'l')]) {
    conversation = withEvent(conversation, event, 0)
  }
  assert.deepEqual(partsOf(conversation), [
    { type: 'text', call: 'call', text: 'hel', provisional: true, citations: [] },
  ])
  conversation = withEvent(conversation, eventOf(message), 0)
  assert.deepEqual(partsOf(conversation), [
    { type: 'text', call: 'call', text: 'answer of a', provisional: false, citations: [] },
  ])
})

test('words that come again after a reconnect are shown once', () => {
  const [input, started] = turnEntries('a', 1) as [Entry, Entry]
  let conversation = emptyConversation
  const events = [eventOf(input), eventOf(started), delta('2.1', 'he'), delta('2.2', 'll'), delta('2.2', 'll')]
  for (const event of [...events, delta('2.1', 'he'), delta('2.3', 'o')])
    conversation = withEvent(conversation, event, 0)
  assert.deepEqual(
    conversation.turns.flatMap(({ parts }) => parts.map((part) => part.type === 'text' && part.text)),
    ['hello'],
  )
})

test('words of a call that was lost with its gateway give way to the next call', () => {
  const [input, started] = turnEntries('a', 1) as [Entry, Entry]
  const lost = delta('2.1', 'lost')
  const next = entryOf({ type: 'assembly', turn: 'a', call: 'next' }, 3)
  let conversation = emptyConversation
  for (const event of [eventOf(input), eventOf(started), lost, eventOf(next), delta('3.1', 'kept', 'next')]) {
    conversation = withEvent(conversation, event, 0)
  }
  assert.deepEqual(partsOf(conversation), [
    { type: 'text', call: 'next', text: 'kept', provisional: true, citations: [] },
  ])
})

test('a call that did not begin was refused, and one that a person denied was denied', () => {
  const asked = {
    type: 'message',
    turn: 'a',
    call: 'call',
    message: {
      role: 'assistant',
      content: ['x', 'y', 'z'].map((toolCallId) => ({
        type: 'tool-call' as const,
        toolCallId,
        toolName: 'edit',
        input: {},
      })),
    },
    tokens,
  } as const
  const of = (toolCallId: string) => ({ turn: 'a', call: 'call', toolCallId }) as const
  const bodies: readonly EntryBody[] = [
    { type: 'input', turn: 'a', message: { role: 'user', content: 'go' }, tokens },
    asked,
    { type: 'tool-end', ...of('x'), ok: false, output: 'no', durationMs: 0 },
    { type: 'tool-start', ...of('y'), toolName: 'edit', input: {} },
    { type: 'tool-end', ...of('y'), ok: false, output: 'broken', durationMs: 5 },
    {
      type: 'approval',
      turn: 'a',
      approval: 'approval',
      toolCallId: 'z',
      digest: 'd',
      by: 'cli',
      decision: { type: 'deny', reason: 'later' },
    },
    { type: 'tool-end', ...of('z'), ok: false, output: 'denied: later', durationMs: 0 },
  ]
  const { turns } = conversationOf(bodies.map((body, index) => entryOf(body, index + 1)))
  assert.deepEqual(
    turns[0]!.parts.map((part) => part.type === 'tool' && part.state),
    ['refused', 'failed', 'denied'],
  )
})

function delta(id: string, text: string, call = 'call'): SessionEvent {
  return { id, type: 'text-delta', turn: 'a', call, text }
}

function partsOf({ turns }: Conversation): unknown {
  return turns.flatMap(({ parts }) => parts)
}

/** Without the ids of events, which pages do not have. */
function shown({ turns, from, seq, early }: Conversation): unknown {
  return { turns, from, seq, early }
}

function eventOf(entry: Entry): SessionEvent {
  return { id: String(entry.seq), type: 'entry', entry }
}

/** A session of several turns, some undone: the entries of one turn follow each other, as a session writes them. */
function logs(): Arbitrary<readonly Entry[]> {
  return array(boolean(), { minLength: 1, maxLength: 8 }).map((undone) => {
    const entries: Entry[] = []
    for (const [index, isUndone] of undone.entries()) {
      const turn = `turn-${index}`
      const [input, ...others] = turnEntries(turn, entries.length + 1) as [Entry, ...Entry[]]
      const message = { role: 'user', content: `question of ${turn}, edited` } as const
      entries.push(input, entryOf({ type: 'edit', turn, message, tokens }, input.seq + 1))
      entries.push(...others.map((entry) => ({ ...entry, seq: entry.seq + 1 })))
      if (isUndone) entries.push(entryOf({ type: 'head', turn, head: null }, entries.length + 1))
    }
    return entries
  })
}

function turnEntries(turn: string, seq: number): readonly Entry[] {
  const bodies: readonly EntryBody[] = [
    { type: 'input', turn, message: { role: 'user', content: `question of ${turn}` }, tokens },
    { type: 'turn-start', turn },
    {
      type: 'message',
      turn,
      call: 'call',
      message: { role: 'assistant', content: [{ type: 'text', text: `answer of ${turn}` }] },
      tokens,
    },
    { type: 'turn-end', turn, outcome: { type: 'completed' } },
  ]
  return bodies.map((body, index) => entryOf(body, seq + index))
}

function entryOf(body: EntryBody, seq: number): Entry {
  return { ...body, session: 'session', seq, time: '2026-01-01T00:00:00.000Z' }
}

test('a screen reader is told whole paragraphs, what it has to decide, and the end, each once', () => {
  const nothing: Spoken = { turn: undefined, length: 0, ended: false, asked: [] }
  const [input, started] = turnEntries('a', 1) as [Entry, Entry]
  let conversation = emptyConversation
  let told = nothing
  const heard: string[] = []
  const listen = (event: SessionEvent): void => {
    conversation = withEvent(conversation, event, 0)
    const next = nextSpoken(conversation.turns.at(-1), told)
    told = next.told
    if (next.text !== '') heard.push(next.text)
  }
  for (const event of [eventOf(input), eventOf(started)]) listen(event)
  const words = 'First paragraph.\n\nSecond one,\nwith two lines.\n\nThird'.match(/\s*\S+/g)!
  for (const [index, word] of words.entries()) listen(delta(`2.${index + 1}`, word))
  const message = { role: 'assistant', content: words.join('') } as const
  listen(eventOf(entryOf({ type: 'message', turn: 'a', call: 'call', message, tokens }, 3)))
  listen(eventOf(entryOf({ type: 'turn-end', turn: 'a', outcome: { type: 'completed' } }, 4)))
  assert.deepEqual(heard, ['First paragraph.', 'Second one,\nwith two lines.', 'Third\nEnd of the answer.'])
})
