import assert from 'node:assert/strict'
import test from 'node:test'
import { serverSentEvents } from './server-sent-events.ts'

async function read(...pieces: readonly string[]) {
  const bytes = new TextEncoder()
  const found = []
  for await (const event of serverSentEvents(ReadableStream.from(pieces.map((piece) => bytes.encode(piece))))) {
    found.push(event)
  }
  return found
}

test('events are read however the network cut them', async () => {
  const text = 'id: 1\nevent: entry\ndata: {"a":1}\n\nid: 2\ndata: two\ndata: lines\n\n'
  const expected = [
    { id: '1', event: 'entry', data: '{"a":1}' },
    { id: '2', event: 'message', data: 'two\nlines' },
  ]
  assert.deepEqual(await read(text), expected)
  assert.deepEqual(await read(...text.split('')), expected)
  assert.deepEqual(await read(...text.replaceAll('\n', '\r\n').split('')), expected)
})

test('comments that keep a connection alive are no events', async () => {
  assert.deepEqual(await read(': still here\n\n', 'data: x\n\n'), [{ id: undefined, event: 'message', data: 'x' }])
})

test('characters of several bytes survive a cut in their middle', async () => {
  const bytes = new TextEncoder().encode('data: Grüße 🌱\n\n')
  const found = []
  const stream = ReadableStream.from([...bytes].map((byte) => Uint8Array.of(byte)))
  for await (const event of serverSentEvents(stream)) found.push(event.data)
  assert.deepEqual(found, ['Grüße 🌱'])
})
