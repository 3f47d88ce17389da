import assert from 'node:assert/strict'
import test from 'node:test'
import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { Entry, EntryBody } from '../../session.ts'
import { sessionUpdates } from './session-updates.ts'

const tokens = { counter: 'tokenx@2', full: 1, least: 1 }
const about = { turn: 't1', call: 'c1', toolCallId: 'x' } as const
const read = { toolName: 'read_file', input: { path: 'a.txt' } }

const bodies: readonly EntryBody[] = [
  { type: 'input', turn: 't1', message: { role: 'user', content: 'Red it.' }, tokens },
  { type: 'edit', turn: 't1', message: { role: 'user', content: 'Read it.' }, tokens },
  { type: 'turn-start', turn: 't1' },
  {
    type: 'message',
    turn: 't1',
    call: 'c1',
    tokens,
    message: {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'I read it.' },
        { type: 'tool-call', toolCallId: 'x', ...read },
      ],
    },
  },
  { type: 'tool-start', ...about, ...read },
  { type: 'tool-end', ...about, ok: true, output: 'one', durationMs: 1 },
  { type: 'turn-end', turn: 't1', outcome: { type: 'completed' } },
]

function entry(body: EntryBody, index: number) {
  const seq = index + 1
  const made = { ...body, session: 's', seq, time: '2026-01-31T12:00:00.000Z' } as Entry
  return { id: String(seq), type: 'entry', entry: made } as const
}

const delta = (type: 'text-delta' | 'reasoning-delta', text: string) =>
  ({ id: '3.1', type, turn: 't1', call: 'c1', text }) as const

/** Chunks of one message put together. */
function joined(updates: readonly SessionUpdate[]): readonly unknown[] {
  const all: { kind: string; text: string }[] = []
  for (const update of updates) {
    const isChunk = update.sessionUpdate.endsWith('_chunk')
    const text = isChunk ? (update as { content: { text: string } }).content.text : JSON.stringify(update)
    const last = all.at(-1)
    if (isChunk && last?.kind === update.sessionUpdate) last.text += text
    else all.push({ kind: update.sessionUpdate, text })
  }
  return all
}

test('what was streamed is not repeated, what was not is added, and a replay shows the same', () => {
  const streams = [
    [],
    [delta('reasoning-delta', 'Hm.'), delta('text-delta', 'I read it.')],
    [delta('reasoning-delta', 'H'), delta('reasoning-delta', 'm.'), delta('text-delta', 'I rea')],
  ]
  const [replayed, ...live] = streams.map((stream) => {
    const updates = sessionUpdates('/work', () => false)
    const events = bodies.map(entry)
    return joined([...events.slice(0, 3), ...stream, ...events.slice(3)].flatMap((event) => [...updates.of(event)]))
  })
  for (const shown of live) {
    // Where reasoning has streamed before the words, the order is the same.
    assert.deepEqual(shown, replayed)
  }
  assert.deepEqual(replayed!.slice(0, 3), [
    { kind: 'user_message_chunk', text: 'Read it.' },
    { kind: 'agent_thought_chunk', text: 'Hm.' },
    { kind: 'agent_message_chunk', text: 'I read it.' },
  ])
})

test('words that the final text does not begin with stay, and the final text is a message of its own', () => {
  const updates = sessionUpdates('/work', () => false)
  const events = [delta('text-delta', 'You read'), ...bodies.map(entry).slice(3, 4)]
  const messages = events
    .flatMap((event) => [...updates.of(event)])
    .flatMap((update) => (update.sessionUpdate === 'agent_message_chunk' ? [[update.messageId, update.content]] : []))
  assert.deepEqual(messages, [
    ['c1', { type: 'text', text: 'You read' }],
    ['c1/final', { type: 'text', text: 'I read it.' }],
  ])
})

test('a call is pending, runs and ends, with its place, its kind and its result', () => {
  const updates = sessionUpdates('/work', () => false)
  const calls = bodies
    .map(entry)
    .flatMap((event) => [...updates.of(event)])
    .filter(({ sessionUpdate }) => sessionUpdate.startsWith('tool_call'))
  assert.deepEqual(calls, [
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'c1/x',
      status: 'pending',
      title: '`read_file` `a.txt`',
      kind: 'read',
      rawInput: { path: 'a.txt' },
      locations: [{ path: '/work/a.txt' }],
    },
    { sessionUpdate: 'tool_call_update', toolCallId: 'c1/x', status: 'in_progress' },
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c1/x',
      status: 'completed',
      rawOutput: 'one',
      content: [{ type: 'content', content: { type: 'text', text: '```\none\n```' } }],
    },
  ])
})

test('a file that is replaced without a question is not shown as a new one', () => {
  const contentOf = (input: object, toolName: string, output: string) => {
    const updates = sessionUpdates('/work', () => false)
    const start: EntryBody = { type: 'tool-start', ...about, toolName, input }
    const end: EntryBody = { type: 'tool-end', ...about, ok: true, output, durationMs: 1 }
    const [last] = [start, end]
      .map(entry)
      .flatMap((event) => [...updates.of(event)])
      .slice(-1)
    return (last as { content: readonly { type: string }[] }).content
  }
  const write = { path: 'a.txt', content: 'one' }
  assert.deepEqual(contentOf(write, 'write_file', 'created a.txt (3 bytes)'), [
    { type: 'diff', path: '/work/a.txt', oldText: null, newText: 'one' },
  ])
  assert.equal(contentOf(write, 'write_file', 'replaced a.txt (3 bytes)')[0]?.type, 'content')
  assert.deepEqual(contentOf({ path: 'a.txt', old_text: 'a', new_text: 'b' }, 'edit_file', 'edited a.txt'), [
    { type: 'diff', path: '/work/a.txt', oldText: 'a', newText: 'b' },
  ])
})
