import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHandOver } from './completion.ts'

test('values are taken in order, and each is asked for before the next is made', async () => {
  const { put, end, taken } = createHandOver<number>()
  const made: number[] = []
  const making = (async () => {
    for (const value of [1, 2, 3]) {
      made.push(value)
      await put(value)
    }
    end()
  })()
  const seen: number[] = []
  for await (const value of taken()) {
    seen.push(value)
    assert.deepEqual(made, seen)
  }
  await making
  assert.deepEqual(seen, [1, 2, 3])
})

test('a failure comes behind what was put before it', async () => {
  const { put, fail, taken } = createHandOver<number>()
  void put(1)
  fail(new Error('broken'))
  const values = taken()
  assert.equal((await values.next()).value, 1)
  await assert.rejects(values.next(), /broken/)
})

test('a taker that leaves sets every maker free', async () => {
  const { put, taken } = createHandOver<number>()
  const waiting = [put(1), put(2)]
  for await (const _ of taken()) break
  await Promise.all([...waiting, put(3)])
})
