import assert from 'node:assert/strict'
import test from 'node:test'
import { assemble } from './assemble.ts'
import type { Manifest } from './manifest.ts'
import { placeSentence } from './place.ts'
import { scenarioInput } from './scenario-input.ts'
import type { Scenario } from './scenario-schema.ts'
import { smallCounters } from './token-counter.ts'

const turn = (id: string, tokens: number): Scenario['current'] => ({
  id,
  messages: [{ role: 'user', content: id, tokens }],
})

const one: Scenario = {
  name: 'one',
  layout: 'auto',
  budget: { window: 1000, reserve: 100, margin: 0 },
  counter: 'declared',
  layers: [
    { id: 'system-prompt', layer: 'system-prompt', text: 'Be brief.', tokens: 10 },
    {
      id: 'skills',
      layer: 'skills',
      renditions: [
        { form: 'full', text: 'All', tokens: 700 },
        { form: 'list', text: 'List', tokens: 30 },
      ],
    },
    { id: 'reminder', layer: 'reminder', text: 'Remember.', tokens: 5 },
  ],
  history: [],
  current: turn('a', 20),
  attachments: [],
  tools: [],
}

function account(scenario: Scenario): Manifest {
  return assemble(scenarioInput(scenario, smallCounters)).manifest
}

function placed(id: string, then: Scenario, now: Scenario): string {
  const manifest = account(now)
  return placeSentence(
    manifest.entries.find((entry) => entry.id === id)!,
    manifest,
    account(then),
  )
}

const two: Scenario = { ...one, history: [turn('a', 20)], current: turn('b', 30) }
const wide: Scenario = { ...two, budget: { ...one.budget, window: 4000 } }
const cut: Scenario = { ...two, history: [turn('a', 800)], current: turn('b', 200) }

/** What is looked at in which call after which, and the sentence about it. */
const cases: Readonly<Record<string, readonly [string, Scenario, Scenario, string]>> = {
  'nothing changed': ['system-prompt', one, two, 'Against the call before: same place, the same tokens.'],
  'it is new': ['b', one, two, 'New: the call before did not have it.'],
  'it moved': ['reminder', one, two, 'Against the call before: moved from 4th to 5th, the same tokens.'],
  'the message is history now': [
    'a',
    one,
    two,
    'Against the call before: same place, from input to history, the same tokens.',
  ],
  'it was shortened': [
    'skills',
    two,
    wide,
    'Against the call before: same place, was shortened then, 30 tokens as a list then.',
  ],
  'it was whole': ['skills', wide, two, 'Against the call before: same place, was whole then, 700 tokens then.'],
  'it was left out': [
    'a',
    cut,
    wide,
    'Left out of the call before. 800 tokens wanted, 655 were free beside what is newer.',
  ],
  'it is left out now': ['a', wide, cut, 'In the call before it was sent: 3rd of 5, 20 tokens.'],
}

for (const [what, [id, then, now, sentence]] of Object.entries(cases)) {
  test(`9: where a candidate was in the call before: ${what}`, () => {
    assert.equal(placed(id, then, now), sentence)
  })
}

test('9: turns that an earlier call cut are nothing new', () => {
  const manifest = account(two)
  const gone = { ...manifest.entries[0]!, id: 'earlier', layer: 'turn', slot: 'history', outcome: 'omitted' } as const
  assert.equal(placeSentence(gone, manifest, account(one)), 'An earlier call took it out.')
})
