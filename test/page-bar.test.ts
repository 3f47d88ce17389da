import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entrySentence, type Scenario } from '../src/context.ts'
import { barSegments, entryKind } from '../web/src/inspector/bar-segments.ts'
import { entryTitle, pieceTitle } from '../web/src/inspector/entry-words.ts'
import { assembleScenario } from '../web/src/inspector/what-if-assembly.ts'
import { forAll, outcomeOf } from './arbitrary/for-all.ts'
import { inputs } from './arbitrary/inputs.ts'

test('the bar is as wide as the window, and every token of the account is in exactly one segment', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    const { window, reserve, margin, available } = manifest.budget
    const segments = barSegments(manifest)
    const sent = segments.filter(({ kind }) => !['free', 'margin', 'reserve'].includes(kind))
    assert.equal(sum(sent), manifest.used)
    for (const [kind, entries] of Map.groupBy(manifest.entries, entryKind)) {
      assert.equal(sum(sent.filter((segment) => segment.kind === kind)), sum(entries), kind)
    }
    if (manifest.used <= available && reserve + margin <= window) assert.equal(sum(segments), window)
    assert.deepEqual(
      sent.map(({ kind }) => kind),
      manifest.entries.filter(({ tokens }) => tokens > 0).map(entryKind),
    )
  })
})

test('what announces a change is none of the words of the person', () => {
  assert.equal(entryKind({ layer: 'head-change', slot: 'input' }), 'changes')
  assert.equal(entryKind({ layer: 'turn', slot: 'input' }), 'input')
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

test('a file is called by its name in the bar, in rows and in sentences', () => {
  const attachment = { turn: 'a', id: 'file_1', name: 'plan.md', text: 'Sail at nine.' }
  const scenario: Scenario = {
    name: 'files',
    layout: 'auto',
    budget: { window: 1000, reserve: 100, margin: 0 },
    counter: 'chars',
    layers: [],
    history: [],
    current: { id: 'a', messages: [{ role: 'user', content: 'When?' }] },
    attachments: [attachment],
    tools: [],
  }
  const { manifest } = assembleScenario(scenario)
  const entry = manifest.entries.find(({ layer }) => layer === 'attachment')!
  assert.equal(entryTitle(entry, manifest), 'Attachment: plan.md')
  assert.match(entrySentence({ ...entry, outcome: 'omitted' }, manifest)!, /^The file plan\.md left out/)
  const titles = barSegments(manifest).map(({ title }) => title)
  assert.ok(titles.includes('Attachment: plan.md'), titles.join())
})

function sum(segments: readonly { readonly tokens: number }[]): number {
  return segments.reduce((total, { tokens }) => total + tokens, 0)
}
