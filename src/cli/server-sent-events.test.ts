import assert from 'node:assert/strict'
import test from 'node:test'
import { serverSentEvents } from './turn.ts'

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
    { id: '2', event: undefined, data: 'two\nlines' },
  ]
  assert.deepEqual(await read(text), expected)
  assert.deepEqual(await read(...text.split('')), expected)
  assert.deepEqual(await read(...text.replaceAll('\n', '\r\n').split('')), expected)
})

test('comments that keep a connection alive are no events', async () => {
  assert.deepEqual(await read(': still here\n\n', 'data: x\n\n'), [{ id: undefined, event: undefined, data: 'x' }])
})

test('characters of several bytes survive a cut in their middle', async () => {
  const bytes = new TextEncoder().encode('data: Grüße 🌱\n\n')
  const found = []
  const stream = ReadableStream.from([...bytes].map((byte) => Uint8Array.of(byte)))
  for await (const event of serverSentEvents(stream)) found.push(event.data)
  assert.deepEqual(found, ['Grüße 🌱'])
})

test('a large event in small pieces takes time in proportion to its size', { timeout: 10_000 }, async () => {
  const piece = new TextEncoder().encode('x'.repeat(1000))
  const pieces = function* () {
    yield new TextEncoder().encode('data: ')
    for (let count = 0; count < 10_000; count += 1) yield piece
    yield new TextEncoder().encode('\n\n')
  }
  for await (const { data } of serverSentEvents(ReadableStream.from(pieces()))) assert.equal(data.length, 10_000_000)
})

test('an event without an end is not kept for ever', async () => {
  const piece = new Uint8Array(2 ** 20).fill(0x78)
  const endless = ReadableStream.from(
    (function* () {
      for (;;) yield piece
    })(),
  )
  await assert.rejects(Array.fromAsync(serverSentEvents(endless)), /exceeded max buffer size/)
})
