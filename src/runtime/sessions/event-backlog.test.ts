import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBacklogBudget, openBacklog } from './event-backlog.ts'
import { createSessionStream } from './session-stream.ts'

const signal = new AbortController().signal

function delta(text: string) {
  return { type: 'text-delta', call: 'call_1', text } as const
}

test('what is kept for all readers together is bounded: the slowest goes, and the others miss nothing', async () => {
  const stream = createSessionStream()
  const budget = createBacklogBudget(100_000)
  const slow = openBacklog(stream, signal, budget)
  const quick = openBacklog(stream, signal, budget)
  let taken = 0
  for (let piece = 0; piece < 200; piece += 1) {
    stream.delta('turn_1', delta('x'.repeat(1_000)))
    taken += quick.take().length
  }
  assert.deepEqual([taken, await slow.more(), slow.take().length], [200, false, 0])
  stream.delta('turn_1', delta('more'))
  assert.deepEqual([await slow.more(), await quick.more(), quick.take().length], [false, true, 1])
})

test('readers that are slow together hold no more than one that is slow alone', () => {
  const stream = createSessionStream()
  const budget = createBacklogBudget(100_000)
  const readers = Array.from({ length: 50 }, () => openBacklog(stream, signal, budget))
  for (let piece = 0; piece < 200; piece += 1) stream.delta('turn_1', delta('x'.repeat(1_000)))
  const held = readers.reduce((sum, reader) => {
    for (const event of reader.take()) sum += 'text' in event ? event.text.length : 0
    return sum
  }, 0)
  assert.ok(held <= 100_000, String(held))
})

test('a reader that leaves, or takes what waits, makes room for others', async () => {
  const stream = createSessionStream()
  const budget = createBacklogBudget(100_000)
  const stays = openBacklog(stream, signal, budget)
  for (let round = 0; round < 10; round += 1) {
    const leaves = openBacklog(stream, signal, budget)
    for (let piece = 0; piece < 40; piece += 1) stream.delta('turn_1', delta('x'.repeat(1_000)))
    assert.equal(stays.take().length, 40)
    leaves.end()
  }
  assert.deepEqual(stays.take(), [])
  stream.delta('turn_1', delta('last'))
  assert.equal(await stays.more(), true)
})
