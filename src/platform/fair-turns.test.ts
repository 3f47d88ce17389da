import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate as settled } from 'node:timers/promises'
import { type FairTurn, fairTurns } from './fair-turns.ts'

/** Turns by a clock that the test moves. */
function scripted(slots: number) {
  const clock = { ms: 0 }
  const turns = fairTurns(slots, { monotonic: () => clock.ms })
  const order: string[] = []
  const running = new Map<string, FairTurn>()
  const take = (task: string, signal?: AbortSignal) =>
    turns.take(task.slice(0, 1), signal).then((turn) => {
      order.push(task)
      return running.set(task, turn)
    })
  const end = async (task: string, tookMs: number, overran = false) => {
    clock.ms += tookMs
    running.get(task)!.end(overran)
    await settled()
  }
  return { clock, turns, order, take, end }
}

test('of one owner the tasks run in their order, and of several the one that used the least is next', async () => {
  const { order, take, end } = scripted(1)
  for (const task of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void take(task)
  await settled()
  assert.deepEqual(order, ['a1'])
  await end('a1', 1000)
  await end('b1', 10)
  await end('c1', 500)
  await end('b2', 10)
  await end('a2', 10)
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'b2', 'a2', 'a3'])
})

test('an owner whose task overran leaves a slot to others, until that is long ago', async () => {
  const { clock, order, take, end } = scripted(2)
  for (const task of ['a1', 'a2', 'a3', 'a4', 'a5']) void take(task)
  await settled()
  await end('a1', 6000, true)
  await end('a2', 0, true)
  assert.deepEqual(order, ['a1', 'a2', 'a3'])
  void take('b1')
  await settled()
  assert.deepEqual(order, ['a1', 'a2', 'a3', 'b1'])
  await end('b1', 1)
  await end('a3', 1)
  await end('a4', 1)
  await end('a5', 1)
  clock.ms += 3_600_000
  void take('a6')
  void take('a7')
  await settled()
  assert.deepEqual(order.slice(4), ['a4', 'a5', 'a6', 'a7'])
})

test('an owner has no more than its own number of turns at once, and others have the rest', async () => {
  const turns = fairTurns(3, { monotonic: () => 0 }, 2)
  const order: string[] = []
  const take = async (task: string) => {
    const turn = await turns.take(task.slice(0, 1))
    order.push(task)
    return turn
  }
  const [a1] = [take('a1'), take('a2'), take('a3'), take('b1'), take('b2')]
  await settled()
  assert.deepEqual(order, ['a1', 'a2', 'b1'])
  ;(await a1).end()
  await settled()
  assert.deepEqual(order.slice(3), ['a3'])
})

test('what an owner used is forgotten by halves', async () => {
  const { clock, turns, take, end } = scripted(1)
  await take('a1')
  clock.ms += 300
  assert.equal(turns.used('a'), 300)
  await end('a1', 700)
  assert.equal(turns.used('a'), 1000)
  clock.ms += 60_000
  assert.equal(turns.used('a'), 500)
  assert.equal(turns.used('b'), 0)
})

test('who stops waiting takes no turn, and hinders nobody', async () => {
  const { order, take, end } = scripted(1)
  await take('a1')
  const leaving = new AbortController()
  const left = take('b1', leaving.signal)
  void take('c1')
  leaving.abort(new Error('enough'))
  await assert.rejects(left, /enough/)
  await end('a1', 1)
  assert.deepEqual(order, ['a1', 'c1'])
  await assert.rejects(take('b2', leaving.signal), /enough/)
})

test('a turn ends once', async () => {
  const turns = fairTurns(1, { monotonic: () => 0 })
  const first = await turns.take('a')
  first.end()
  first.end()
  const order: string[] = []
  const second = await turns.take('a')
  void turns.take('a').then(() => order.push('third'))
  await settled()
  assert.deepEqual(order, [])
  second.end()
  await settled()
  assert.deepEqual(order, ['third'])
})
