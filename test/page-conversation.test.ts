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
} from '../web/src/chat/conversation.ts'

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

function delta(id: string, text: string): SessionEvent {
  return { id, type: 'text-delta', turn: 'a', call: 'call', text }
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
      entries.push(...turnEntries(turn, entries.length + 1))
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
