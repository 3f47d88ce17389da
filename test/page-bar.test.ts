import assert from 'node:assert/strict'
import { test } from 'node:test'
import { barSegments } from '../web/src/inspector/bar-segments.ts'
import { forAll, outcomeOf } from './arbitrary/for-all.ts'
import { inputs } from './arbitrary/inputs.ts'

test('the bar is as wide as the window, and every token of the account is in exactly one segment', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    const { window, reserve, margin, available } = manifest.budget
    const segments = barSegments(manifest)
    const sent = segments.filter(({ kind }) => !['free', 'margin', 'reserve'].includes(kind))
    assert.equal(sum(sent), manifest.used)
    for (const [slot, tokens] of Object.entries(manifest.slots)) {
      assert.equal(sum(sent.filter(({ kind }) => kind === slot)), tokens, slot)
    }
    if (manifest.used <= available && reserve + margin <= window) assert.equal(sum(segments), window)
    assert.deepEqual(
      sent.map(({ kind }) => kind),
      manifest.entries.filter(({ tokens }) => tokens > 0).map(({ slot }) => slot),
    )
  })
})

function sum(segments: readonly { readonly tokens: number }[]): number {
  return segments.reduce((total, { tokens }) => total + tokens, 0)
}
