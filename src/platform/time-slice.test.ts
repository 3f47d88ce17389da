import assert from 'node:assert/strict'
import { once } from 'node:events'
import { stat } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import test from 'node:test'
import { inSlices, textChunks, timeSlice, systemClock } from '../platform.ts'

test('work that takes long lets everything else run before it is done', async () => {
  const order: string[] = []
  setImmediate(() => order.push('somebody else'))
  await inSlices(systemClock, [1, 2, 3], (item) => {
    busy()
    order.push(`${item}`)
  })
  assert.deepEqual(order, ['1', 'somebody else', '2', '3'])
})

test('each thing is taken once, in its order', async () => {
  const taken: number[] = []
  await inSlices(
    systemClock,
    Array.from({ length: 1000 }, (_, index) => index),
    (item) => taken.push(item),
  )
  assert.deepEqual(
    taken,
    Array.from({ length: 1000 }, (_, index) => index),
  )
})

test('a time slice ends after its work time, and a new one starts after each pause', async () => {
  const work = timeSlice(systemClock)
  assert.equal(work.isOver(), false)
  busy()
  assert.equal(work.isOver(), true)
  await work.rest()
  assert.equal(work.isOver(), false)
  busy()
  work.renew()
  assert.equal(work.isOver(), false)
})

test('after a pause in a callback of the network, what had come for others meanwhile is read first', async () => {
  const order: string[] = []
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const other = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  socket.on('data', () => order.push('somebody else'))
  await new Promise<void>((resolve) => {
    const work = async () => {
      await new Promise((written) => other.write('hello', written))
      await timeSlice(systemClock).rest()
      order.push('work')
      resolve()
    }
    stat(import.meta.filename, () => void work())
  })
  other.destroy()
  server.close()
  assert.deepEqual(order, ['somebody else', 'work'])
})

test('the parts of a text are the text', () => {
  assert.deepEqual([...textChunks('abcdefg', 3)], ['abc', 'def', 'g'])
  assert.deepEqual([...textChunks('', 3)], [])
})

/** Works for longer than one stretch may be. */
function busy(): void {
  const until = performance.now() + 12
  while (performance.now() < until);
}
