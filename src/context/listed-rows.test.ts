import assert from 'node:assert/strict'
import test from 'node:test'
import { entrySentences, listedRows } from './listed-rows.ts'
import type { Manifest, ManifestEntry } from './manifest.ts'

const ORIGIN = { kind: 'user', ref: 'x' } as const

function included(id: string, layer = 'turn', more: Partial<ManifestEntry> = {}): ManifestEntry {
  const tokens = { form: 'full', tokens: 10, fullTokens: 10 }
  return { id, layer, slot: 'history', outcome: 'included', ...tokens, origin: ORIGIN, ...more }
}

function omitted(id: string, reason: ManifestEntry['reason'], layer = 'turn'): ManifestEntry {
  return { id, layer, slot: 'history', outcome: 'omitted', tokens: 0, fullTokens: 100, reason: reason!, origin: ORIGIN }
}

function manifestOf(entries: readonly ManifestEntry[], first: readonly string[] = []): Manifest {
  const budget = { window: 1000, reserve: 0, margin: 0, available: 1000 }
  return { entries, budget, used: 0, cut: { first } } as unknown as Manifest
}

const names = (manifest: Manifest) => listedRows(manifest).map(({ name }) => name)

test('neighbours that a note replaces are one row with the sum of their tokens, and one sentence names the note', () => {
  const gone = ['c', 'd', 'e', 'f'].map((id) => omitted(id, { code: 'noted', note: 'note-2' }))
  const earlier = omitted('earlier', { code: 'noted', turns: 5 })
  const notes = [included('note-1', 'note'), included('note-2', 'note')]
  const input = included('g', 'turn', { slot: 'input' })
  const manifest = manifestOf([earlier, included('a'), included('b'), ...gone, ...notes, input], ['a', 'b'])
  assert.deepEqual(names(manifest), [
    'turn 1',
    'turn 2',
    'turns 3 to 7',
    'turns 8 to 11',
    'note 1',
    'note 2',
    'this turn',
  ])
  assert.equal(listedRows(manifest)[3]!.entry.fullTokens, 400)
  assert.deepEqual(entrySentences(manifest), [
    'Turns 3 to 7 left out: 100 tokens wanted, and notes say what they held.',
    'Turns 8 to 11 left out: 400 tokens wanted, and note 2 says what they held.',
  ])
})

test('two neighbours stay two rows, and so do those that were left out for different reasons', () => {
  const few = [omitted('a', { code: 'noted', note: 'note-1' }), omitted('b', { code: 'noted', note: 'note-1' })]
  const others = [omitted('c', { code: 'undone' }), omitted('d', { code: 'blank' })]
  const manifest = manifestOf([...few, ...others, included('note-1', 'note')])
  assert.equal(names(manifest).length, 5)
  assert.equal(entrySentences(manifest)[0], 'Turn 1 left out: 100 tokens wanted, and note 1 says what it held.')
})

test('one sign that is written out is in the singular', () => {
  const written = (reason: ManifestEntry['reason']) =>
    entrySentences(manifestOf([included('far', 'tool', { slot: 'tools', reason: reason! })]))[0]
  assert.match(written({ code: 'neutralized', control: 1 })!, /: 1 control character in it is written out\.$/)
  assert.match(written({ code: 'neutralized', control: 1, format: 1 })!, / in it are written out\.$/)
})

test('tools that are looked up where they are needed are one row', () => {
  const tools = ['a', 'b', 'c'].map((id): ManifestEntry => ({
    ...omitted(id, { code: 'deferred' }, 'tool'),
    slot: 'tools',
  }))
  assert.deepEqual(names(manifestOf(tools)), ['3 tools'])
  assert.match(
    entrySentences(manifestOf(tools))[0]!,
    /^3 tools left out: 300 tokens wanted, and the model is given each/,
  )
})
