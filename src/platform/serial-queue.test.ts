import assert from 'node:assert/strict'
import test from 'node:test'
import { keyedQueue, once, serialQueue, singleFlight } from '../platform.ts'

test('work of a queue runs one after another, whatever fails', async () => {
  const queue = serialQueue()
  const order: string[] = []
  const first = Promise.withResolvers<void>()
  const one = queue.add(() => first.promise.then(() => order.push('one')))
  const two = queue.add(() => {
    order.push('two')
    throw new Error('two failed')
  })
  const three = queue.add(() => order.push('three'))
  first.resolve()
  await assert.rejects(two, /two failed/)
  await Promise.all([one, three])
  assert.deepEqual(order, ['one', 'two', 'three'])
})

test('a queue is idle once everything is over, what was added meanwhile too', async () => {
  const queue = serialQueue()
  const done: number[] = []
  void queue.add(async () => {
    void queue.add(() => done.push(2))
    done.push(1)
  })
  await queue.idle()
  assert.deepEqual(done, [1, 2])
})

test('keys do not wait for each other, and a key without work is forgotten', async () => {
  const queue = keyedQueue<string>()
  const held = Promise.withResolvers<void>()
  const slow = queue.add('a', () => held.promise)
  assert.equal(await queue.add('b', () => 7), 7)
  assert.deepEqual([queue.has('a'), queue.has('b'), queue.size], [true, false, 1])
  held.resolve()
  await slow
  await queue.idle()
  assert.equal(queue.size, 0)
})

test('callers share a running task, and the next caller starts a new one', async () => {
  const flights = singleFlight<string, number>()
  let runs = 0
  const held = Promise.withResolvers<void>()
  const work = async () => {
    runs += 1
    await held.promise
    return runs
  }
  const both = Promise.all([flights.run('a', work), flights.run('a', work)])
  assert.deepEqual([flights.has('a'), flights.size], [true, 1])
  held.resolve()
  assert.deepEqual(await both, [1, 1])
  assert.equal(await flights.run('a', work), 2)
  await assert.rejects(
    flights.run('a', () => Promise.reject(new Error('no'))),
    /no/,
  )
  assert.equal(flights.size, 0)
})

test('what is done once is done again only where it failed', async () => {
  let runs = 0
  const open = once(async () => {
    runs += 1
    if (runs === 1) throw new Error('not yet')
    return runs
  })
  await assert.rejects(open(), /not yet/)
  assert.deepEqual([await open(), await open()], [2, 2])
})
