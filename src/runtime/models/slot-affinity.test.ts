import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Model } from '../../model.ts'
import { createSlotAffinity } from './slot-affinity.ts'

const facts = { cache: { kind: 'automatic', minimumTokens: 0, lifetimeSeconds: 9, slotCount: 2 } }
const model = { id: 'own/local', facts } as unknown as Model

function begun() {
  let now = 0
  const slots = createSlotAffinity({ monotonic: () => now })
  return {
    slots,
    take: (session: string, call: string) => slots.take(model, session, call),
    wait: (ms: number) => (now += ms),
  }
}

test('a second call of a session does not wait for the slot of the first one', () => {
  const { slots, take } = begun()
  assert.deepEqual([take('a', 'turn'), take('a', 'note')], [0, undefined])
  slots.end('turn')
  assert.equal(take('a', 'next'), undefined, 'the note still runs')
  slots.end('note')
  slots.end('next')
  assert.equal(take('a', 'later'), 0)
})

test('a session whose call runs keeps its slot, however long that takes', () => {
  const { slots, take, wait } = begun()
  assert.deepEqual([take('a', 'long'), take('b', 'short')], [0, 1])
  slots.end('short')
  wait(3 * 60 * 60_000)
  assert.equal(take('c', 'other'), 1)
})

test('a call that was cancelled at once says nothing of its slot, and one that waited for long does', () => {
  const { slots, take } = begun()
  const error = { code: 'cancelled', message: '' }
  assert.equal(take('a', 'first'), 0)
  slots.end('first', { error, durationMs: 500 })
  assert.equal(take('a', 'second'), 0)
  slots.end('second', { error, durationMs: 90_000 })
  assert.equal(take('a', 'third'), undefined)
})
