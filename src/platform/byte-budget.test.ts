import assert from 'node:assert/strict'
import test from 'node:test'
import { fixedClock } from '../testing.ts'
import { byteBudget } from './byte-budget.ts'

test('one owner has half of the bytes, another finds room, and the one that holds the least is next', async () => {
  const clock = fixedClock()
  const budget = byteBudget(100, 10_000, clock)
  const order: string[] = []
  const take = async (name: string, bytes: number) => {
    const lease = budget.lease(name.slice(0, 1))
    if (await lease.take(bytes)) order.push(name)
    else order.push(`${name} refused`)
    return lease
  }
  const first = [take('a1', 30), take('a2', 30), take('a3', 20), take('b1', 40), take('b2', 40), take('c1', 20)]
  await clock.yield()
  // a2 would pass a's half, and b2 and c1 all of it.
  assert.deepEqual([order, budget.held()], [['a1', 'a3', 'b1'], 90])
  ;(await first[0]!).end()
  await clock.yield()
  assert.deepEqual([order.slice(3), budget.held()], [['c1'], 80])
  await clock.advance(10_000)
  assert.deepEqual([order.slice(4), budget.held()], [['a2 refused', 'b2 refused'], 80])
})

test('what is larger than all of it has its turn alone, and gives back all that it took, once', async () => {
  const clock = fixedClock()
  const budget = byteBudget(100, 10_000, clock)
  const large = budget.lease('a')
  assert.equal(await large.take(100), true)
  assert.equal(await large.take(400), true)
  const small = budget.lease('b').take(1)
  large.end()
  large.end()
  assert.equal(await small, true)
  assert.equal(budget.held(), 1)
})

test('tasks that hold a part and wait for the rest go on one after another, instead of waiting for each other', async () => {
  const clock = fixedClock()
  const budget = byteBudget(100, 10_000, clock)
  const order: string[] = []
  const leases = ['a1', 'a2', 'b1'].map((name) => ({ name, lease: budget.lease(name.slice(0, 1)) }))
  for (const { lease } of leases) assert.equal(await lease.take(20), true)
  const rest = leases.map(async ({ name, lease }) => {
    order.push((await lease.take(90)) ? name : `${name} refused`)
    return lease
  })
  for (const [expected, next] of [
    [['b1'], 2],
    [['b1', 'a1'], 0],
    [['b1', 'a1', 'a2'], 1],
  ] as const) {
    await clock.yield()
    assert.deepEqual(order, expected)
    ;(await rest[next]!).end()
  }
  assert.equal(budget.held(), 0)
})
