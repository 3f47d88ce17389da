import assert from 'node:assert/strict'
import test from 'node:test'
import { readerOf, readingProcesses, until } from './opened-reader.ts'
import { systemClock } from '../../src/platform.ts'

/** Keeps a process busy for longer than any test waits. */
const endless = Buffer.from('<div><b>'.repeat(400_000))

test('files that take too long hold both readers for one round, and a file of another owner is next', async (context) => {
  const reader = readerOf(context, { clock: systemClock, limits: { timeMs: 1500 } })
  const order: string[] = []
  const read = async (owner: string, bytes: Buffer) => {
    const { kind } = await reader.read({ bytes, name: 'a.html', owner })
    order.push(`${owner}: ${kind}`)
  }
  const attack = Array.from({ length: 3 }, () => read('attacker', endless))
  await until(() => readingProcesses().length === 2)
  // Plain text: what reads HTML takes a second of a busy processor to load.
  const others = ['one', 'two'].map((owner) => read(owner, Buffer.from('Hello.')))
  await Promise.all([...attack, ...others])
  assert.deepEqual(order.slice(0, 4).toSorted().slice(2), ['one: text', 'two: text'])
  assert.deepEqual(order.slice(4), ['attacker: unreadable'])
})
