import assert from 'node:assert/strict'
import test from 'node:test'
import { createSemaphore } from './semaphore.ts'

const { signal } = new AbortController()

test('a few are let through at once, and the others in the order in which they came', async () => {
  const semaphore = createSemaphore(2)
  const through: number[] = []
  const entries = [1, 2, 3, 4].map(async (number) => {
    const release = await semaphore.acquire(signal)
    through.push(number)
    return release
  })
  const [first, second] = await Promise.all(entries.slice(0, 2))
  assert.deepEqual(through, [1, 2])
  first!()
  await entries[2]
  assert.deepEqual(through, [1, 2, 3])
  second!()
  await entries[3]
  assert.deepEqual(through, [1, 2, 3, 4])
})

test('a caller who stops waiting does not affect the others', async () => {
  const semaphore = createSemaphore(1)
  const release = await semaphore.acquire(signal)
  const leaving = new AbortController()
  const left = semaphore.acquire(leaving.signal)
  const next = semaphore.acquire(signal)
  // Its turn has come already, and it goes on before it hears of the end.
  release()
  leaving.abort(new Error('enough'))
  ;(await left)()
  ;(await next)()
  await assert.rejects(semaphore.acquire(leaving.signal), /enough/)
})
