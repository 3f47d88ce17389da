import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenx } from '../../context.ts'
import { scriptedModel } from '../../testing.ts'
import { budgetFor, type SizeRefusal } from './call-budget.ts'

/** A window of 10,000, a reserve of 2,000, a margin of 1,000: a room of 7,000. */
function roomAfter(refusal: SizeRefusal): number {
  const model = scriptedModel({ facts: { window: 10_000 } })
  const settings = { counter: tokenx, reserve: 2_000, margin: 1_000 }
  const nothing = { calibration: { limit: () => undefined }, limits: { of: () => undefined } }
  const learned = { settings, ...nothing } as unknown as Parameters<typeof budgetFor>[0]
  const { window, reserve, margin = 0 } = budgetFor(learned, model, refusal)
  return window - reserve - margin
}

test('a refusal that says nothing is tried again with seven tenths of what was sent', () => {
  assert.equal(roomAfter({ limit: undefined, sent: undefined, used: 5_000 }), 3_500)
  assert.equal(roomAfter({ limit: undefined, sent: undefined, used: 9_000 }), 4_900)
})

test('a refusal that says a limit is tried again with nine tenths of what that leaves beside the answer', () => {
  assert.equal(roomAfter({ limit: 6_000, sent: 6_000, used: 5_000 }), Math.floor(((6_000 - 2_000) / 1.2) * 0.9))
  assert.equal(roomAfter({ limit: 6_000, sent: 4_000, used: 5_000 }), Math.floor((6_000 - 2_000) * 0.9))
  assert.equal(roomAfter({ limit: 6_000, sent: undefined, used: 5_000 }), Math.floor(((6_000 - 2_000) / 1.1) * 0.9))
  assert.equal(roomAfter({ limit: 3_000, sent: 3_000, used: 3_000 }), 1_350, 'the answer takes half at most')
  assert.equal(roomAfter({ limit: 60_000, sent: 6_000, used: 6_000 }), 6_300, 'and never more than there was')
})
