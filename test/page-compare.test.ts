import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compare, type Scenario } from '../src/context.ts'
import { causeOf } from '../web/src/inspector/compare-cause.ts'
import { textsOf } from '../web/src/inspector/share-texts.ts'
import { assembleScenario } from '../web/src/inspector/what-if-assembly.ts'

type Layer = Scenario['layers'][number]

const turn = (id: string, text: string): Scenario['current'] => ({ id, messages: [{ role: 'user', content: text }] })
const layer = (name: string, text: string, more: Partial<Layer> = {}): Layer => ({
  id: name,
  layer: name,
  text,
  ...more,
})

const usual: Scenario = {
  name: 'a call',
  layout: 'auto',
  budget: { window: 2000, reserve: 100, margin: 0 },
  counter: 'chars',
  layers: [layer('system-prompt', 'Be brief.'), layer('date', 'Today is Monday, 2026-11-23.', { placement: 'system' })],
  history: [turn('t1', 'One')],
  current: turn('t2', 'Two'),
  attachments: [],
  tools: [{ name: 'search', inputSchema: { type: 'object' } }],
  model: 'ollama/llama',
}

/** Why a call with these changes begins otherwise than the usual one. */
function cause(changes: Partial<Scenario>, from: Partial<Scenario> = {}): string {
  const [old, now] = [assembleScenario({ ...usual, ...from }), assembleScenario({ ...usual, ...from, ...changes })]
  const before = { manifest: old.manifest, texts: textsOf(old) }
  return causeOf(compare(old, now), before, { manifest: now.manifest, texts: textsOf(now) })
}

const next = { history: [turn('t1', 'One'), turn('t2', 'Two')], current: turn('t3', 'Three') }
const [prompt, date] = usual.layers as [Layer, Layer]
const old = 'x'.repeat(700)

/** What happened between two calls, and the sentence about it. */
const causes: Readonly<Record<string, readonly [Partial<Scenario>, RegExp, Partial<Scenario>?]>> = {
  nothing: [{}, /^The two requests are the same\.$/],
  'the conversation went on': [next, /^The conversation went on\./],
  'a cut': [
    { history: ['a', 'b', 'c'].map((id) => turn(id, old)), current: turn('d', 'Four') },
    /^The history was cut to make room: \d of its parts are left out now\.$/,
    { history: ['a', 'b'].map((id) => turn(id, old)), current: turn('c', 'Three') },
  ],
  'an edited prompt': [{ layers: [layer('system-prompt', 'Be long.'), date] }, /^The system prompt was edited/],
  'an edited skill': [
    { layers: [prompt, layer('skills', 'Letters, typed')] },
    /^A skill was added, edited or removed\.$/,
    { layers: [prompt, layer('skills', 'Letters, by hand')] },
  ],
  midnight: [
    { layers: [prompt, layer('date', 'Today is Tuesday, 2026-11-24.', { placement: 'system' })], ...next },
    /^Midnight has passed/,
  ],
  'a tool that was allowed': [
    { tools: [...usual.tools, { name: 'write_file', inputSchema: { type: 'object' } }] },
    /^The tool write_file is offered now: it was allowed/,
  ],
  'a tool that is no longer allowed': [{ tools: [] }, /^The tool search is no longer offered\.$/],
  'another model': [{ model: 'openai/gpt' }, /^Another model was chosen: ollama\/llama before, openai\/gpt now\.$/],
  'another layout': [
    { layout: 'onyx' },
    /^Another layout was chosen: auto before, onyx now\.$/,
    { layers: [prompt, layer('project', 'Plans')] },
  ],
  'a project': [{ layers: [prompt, date, layer('project', 'Plans')] }, /^A project was chosen/],
  'an agent': [
    { layers: [prompt, date, layer('custom-agent', 'In verse. '.repeat(80))] },
    /^An agent, or a project with/,
  ],
  'a turn that was taken back': [{ history: [], undone: [{ turn: 't1', tokens: 3 }] }, /^A turn was taken back\.$/],
}

for (const [what, [changes, sentence, from]] of Object.entries(causes)) {
  test(`12: the cause of a first difference is named in words: ${what}`, () => {
    assert.match(cause(changes, from), sentence)
  })
}
