import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entrySentence } from '../src/context.ts'
import { barSegments } from '../web/src/inspector/bar-segments.ts'
import { entryTitle, namedEntry, pieceTitle } from '../web/src/inspector/entry-words.ts'
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

test('a turn is titled by what was said, and by the kind of what is no text', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    const turn = manifest.entries.find(
      ({ layer, slot, id }) => layer === 'turn' && slot !== 'tools' && id !== 'earlier',
    )
    if (turn === undefined) return
    const image = { type: 'image', image: 'data:image/png;base64,AAAA' } as const
    const content = { role: 'user', content: [{ type: 'text', text: 'What is  this?' }, image] } as const
    const title = pieceTitle(turn, manifest, [{ entry: manifest.entries.indexOf(turn), content } as never])
    assert.match(title, /: What is this\? \[image\]$/)
  })
})

test('a file is titled by its name, and by its id only until the input is read', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    const [any] = manifest.entries
    if (any === undefined) return
    const entry = { ...any, layer: 'attachment', slot: 'input', id: 'file_1' } as const
    const attachments = [{ id: 'file_1', name: 'plan.md' }] as never
    assert.equal(entryTitle(namedEntry(entry, { attachments }), manifest), 'Attachment: plan.md')
    assert.match(
      entrySentence(namedEntry({ ...entry, outcome: 'omitted' }, { attachments }), manifest)!,
      /^The file plan\.md left out/,
    )
    assert.equal(namedEntry(entry, undefined), entry)
  })
})

function sum(segments: readonly { readonly tokens: number }[]): number {
  return segments.reduce((total, { tokens }) => total + tokens, 0)
}
