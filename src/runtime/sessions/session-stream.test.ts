import assert from 'node:assert/strict'
import test from 'node:test'
import type { Entry, EntryBody } from '../../session.ts'
import type { SessionEvent } from '../../capability.ts'
import { createSessionStream } from './session-stream.ts'

const tokens = { counter: 'chars@1', full: 1, least: 1 }
const said = { type: 'message', turn: 't', call: 'c', message: { role: 'assistant', content: 'Hi.' }, tokens } as const

for (const [what, body] of [
  ['a message', said],
  ['the end of a turn', { type: 'turn-end', turn: 't', outcome: { type: 'completed' } }],
  ['the next call', { type: 'assembly', turn: 't', call: 'd', model: 'p/m' }],
] as const) {
  test(`behind ${what} no word of the call before is provisional any more`, () => {
    const stream = createSessionStream(1)
    const received: SessionEvent[] = []
    stream.subscribe((event) => received.push(event))
    stream.delta('t', { type: 'text-delta', call: 'c', text: 'Hi' })
    stream.delta('t', { type: 'text-delta', call: 'c', text: '.' })
    assert.deepEqual(stream.subscribe(() => {}).running.events, received)
    stream.entry(entry(2, body))
    assert.deepEqual(
      received.map(({ id }) => id),
      ['1.1', '1.2', '2'],
    )
    assert.deepEqual(stream.subscribe(() => {}).running, { since: 2, events: [], count: 0 })
  })
}

test('an entry that does not end a text keeps the running events', () => {
  const stream = createSessionStream(1)
  stream.delta('t', { type: 'text-delta', call: 'c', text: 'Hi' })
  stream.entry(entry(2, { type: 'model', model: 'p/m' }))
  const { running } = stream.subscribe(() => {})
  assert.deepEqual([running.since, running.events.map(({ id }) => id)], [0, ['1.1']])
})

test('a message that waits and is taken back leaves the words of the call that runs', () => {
  const stream = createSessionStream(1)
  stream.delta('t', { type: 'text-delta', call: 'c', text: 'Hi' })
  stream.entry(entry(2, { type: 'turn-end', turn: 'waits', outcome: { type: 'cancelled' } }))
  stream.delta('t', { type: 'text-delta', call: 'c', text: '.' })
  const { running } = stream.subscribe(() => {})
  assert.deepEqual([running.since, running.events.map(({ id }) => id)], [0, ['1.1', '2.2']])
})

function entry(seq: number, body: EntryBody): Entry {
  return { ...body, session: 's', seq, time: '2026-01-01T00:00:00.000Z' }
}
