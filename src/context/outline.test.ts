import assert from 'node:assert/strict'
import test from 'node:test'
import type { Manifest, ManifestEntry } from './manifest.ts'
import { outline } from './outline.ts'
import { ContextOverflowError } from './overflow-error.ts'

const origin = { kind: 'operator', ref: 'x' } as const
const entries: readonly ManifestEntry[] = [
  {
    id: 'instructions',
    layer: 'instructions',
    slot: 'system',
    outcome: 'included',
    form: 'full',
    tokens: 379,
    fullTokens: 379,
    origin,
  },
  {
    id: 'skills',
    layer: 'skills',
    slot: 'system',
    outcome: 'reduced',
    form: 'list',
    tokens: 154,
    fullTokens: 1754,
    reason: { code: 'head-share' },
    origin,
  },
  {
    id: 'turn-1',
    layer: 'turn',
    slot: 'history',
    outcome: 'omitted',
    tokens: 0,
    fullTokens: 768,
    reason: { code: 'low-water' },
    origin,
  },
  {
    id: 'turn-2',
    layer: 'turn',
    slot: 'history',
    outcome: 'reduced',
    form: 'tool-output-cleared',
    tokens: 146,
    fullTokens: 610,
    reason: { code: 'low-water' },
    origin,
  },
  {
    id: 'an-id-that-is-longer-than-its-column',
    layer: 'reminder',
    slot: 'after-input',
    outcome: 'included',
    form: 'full',
    tokens: 42,
    fullTokens: 42,
    origin,
  },
]
const manifest: Manifest = {
  version: 1,
  layout: 'auto',
  counter: { id: 'declared', version: '1' },
  budget: { window: 3200, reserve: 1000, margin: 0, available: 2200 },
  used: 721,
  slots: { tools: 0, system: 533, preamble: 0, history: 146, 'before-input': 0, input: 0, 'after-input': 42 },
  entries,
  displaced: 42,
}

test('an outline is one line a candidate, after one for the budget', () => {
  assert.equal(
    outline(manifest),
    `window 3200, reserve 1000: used 721 of 2200
system       instructions       full                    379    379  included
system       skills             list                    154   1754  reduced   head-share
history      turn-1             -                         0    768  omitted   low-water
history      turn-2             tool-output-cleared     146    610  reduced   low-water
after-input  an-id-that-is-longer-than-its-column full                     42     42  included`,
  )
})

test('the columns hold for ids of up to 30 characters', () => {
  const long = 'x'.repeat(30)
  const lines = outline({ ...manifest, entries: [...entries, { ...entries[0]!, id: long }] }).split('\n')
  const place = (line: number) => /(?<=^\S+ +\S+ +)\S/.exec(lines[line]!)!.index
  assert.deepEqual([1, 2, 3, 4, 6].map(place), [44, 44, 44, 44, 44])
  assert.ok(place(5) > 44)
})

test('the outline shows the margin if there is one', () => {
  const budget = { window: 3200, reserve: 1000, margin: 100, available: 2100 }
  assert.equal(outline({ ...manifest, budget, entries: [] }), 'window 3200, reserve 1000, margin 100: used 721 of 2100')
})

test('an overflow says what is needed, what there is, which slots want it, and what to do', () => {
  const error = new ContextOverflowError(
    { ...manifest, budget: { window: 800, reserve: 200, margin: 10, available: 590 } },
    undefined,
    { instructions: { name: 'the instructions', how: 'shorten their file' } },
  )
  assert.equal(error.code, 'context-overflow')
  assert.equal(error.manifest.used, 721)
  assert.equal(
    error.message,
    'What must be sent needs 721 tokens, and 590 are available (window 800 − reserve 200 − margin 10): ' +
      'system 533, history 146, after-input 42. ' +
      'The largest part is the instructions (379): shorten their file. ' +
      'Shorten the input or the required layers, or choose a model with a larger window.',
  )
})

test('an overflow begins with what the provider said before, as a sentence', () => {
  const begins = (refusal: string) => new ContextOverflowError(manifest, refusal).message.split(' What must')[0]
  assert.equal(begins('It said: Too Large'), 'It said: Too Large.')
  assert.equal(begins('It is too large.'), 'It is too large.')
})

test('an overflow without room for any prompt names the reserve, not what was written', () => {
  const error = new ContextOverflowError({
    ...manifest,
    budget: { window: 1000, reserve: 5000, margin: 0, available: 0 },
  })
  assert.equal(
    error.message,
    'What must be sent needs 721 tokens, and 0 are available (window 1,000 − reserve 5,000 − margin 0): ' +
      'system 533, history 146, after-input 42. ' +
      'The reserve and the margin use the whole window. Lower them, or choose a model with a larger window.',
  )
})
