import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assemble, type Assembly } from './assemble.ts'
import { compare } from './compare.ts'
import { differenceCause } from './difference-cause.ts'
import { scenarioInput } from './scenario-input.ts'
import type { Scenario } from './scenario-schema.ts'
import { smallCounters } from './token-counter.ts'

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

function assembled(scenario: Scenario): Assembly {
  return assemble(scenarioInput(scenario, smallCounters))
}

/** Why a call with these changes begins otherwise than the usual one. */
function cause(changes: Partial<Scenario>, from: Partial<Scenario> = {}): string {
  const [old, now] = [assembled({ ...usual, ...from }), assembled({ ...usual, ...from, ...changes })]
  return differenceCause(compare(old, now), old, now)
}

const next = { history: [turn('t1', 'One'), turn('t2', 'Two')], current: turn('t3', 'Three') }
const [prompt, date] = usual.layers as [Layer, Layer]
const long = 'x'.repeat(700)

const skills = (text: string): Layer => layer('skills', text, { origin: { kind: 'operator', ref: 'skills' } })
const file = (text: string): Layer => layer('instructions', text, { origin: { kind: 'file', ref: 'home/AGENTS.md' } })
const agent = (id: string, text: string): Layer =>
  layer('custom-agent', text.repeat(80), { origin: { kind: 'operator', ref: `agent/${id}` } })

/** What happened between two calls, and the sentence about it. */
const causes: Readonly<Record<string, readonly [Partial<Scenario>, RegExp, Partial<Scenario>?]>> = {
  nothing: [{}, /^The two requests are the same\.$/],
  'the conversation went on': [next, /^The conversation went on\. Everything before that is as it was\.$/],
  'a cut': [
    { history: ['a', 'b', 'c'].map((id) => turn(id, long)), current: turn('d', 'Four') },
    /^The history was cut to make room: turns 1 to 2 are left out now\.$/,
    { history: ['a', 'b'].map((id) => turn(id, long)), current: turn('c', 'Three') },
  ],
  'an edited prompt': [
    { layers: [layer('system-prompt', 'Be long.'), date] },
    /^The text of the system prompt was edited, first at “Be long\.”\.$/,
  ],
  'an edited skill': [
    { layers: [prompt, skills('# Skills\n\n## letters\n\nTyped')] },
    /^The text of the skills was edited, first at “Typed” below “letters”\.$/,
    { layers: [prompt, skills('# Skills\n\n## letters\n\nBy hand')] },
  ],
  'an edited file': [
    { layers: [prompt, file('One rule\nTwo rules')] },
    /^The text of the instructions \(home\/AGENTS\.md\) was edited, first at “Two rules”\.$/,
    { layers: [prompt, file('One rule')] },
  ],
  'a text that no person writes': [
    { layers: [prompt, layer('memory', 'Later', { origin: { kind: 'model', ref: 'earlier sessions' } })] },
    /^The text of the memory \(earlier sessions\) changed, first at “Later”\.$/,
    { layers: [prompt, layer('memory', 'Earlier', { origin: { kind: 'model', ref: 'earlier sessions' } })] },
  ],
  midnight: [
    { layers: [prompt, layer('date', 'Today is Tuesday, 2026-11-24.', { placement: 'system' })], ...next },
    /^Midnight has passed: the date gives another date, 2026-11-23 before and 2026-11-24 now\.$/,
  ],
  'an hour of the same day': [
    { layers: [prompt, layer('date', 'It is 2026-11-23, 10:00.', { placement: 'system' })] },
    /^The time of day that the date gives is another one\.$/,
    { layers: [prompt, layer('date', 'It is 2026-11-23, 09:00.', { placement: 'system' })] },
  ],
  'a tool that was allowed': [
    { tools: [...usual.tools, { name: 'write_file', inputSchema: { type: 'object' } }] },
    /^The tool write_file is offered now: it was allowed, or its server was connected\.$/,
  ],
  'a tool that is no longer allowed': [{ tools: [] }, /^The tool search is no longer offered\.$/],
  'a tool that changed': [
    { tools: [{ name: 'search', description: 'Finds', inputSchema: { type: 'object' } }] },
    /^The definition of the tool search changed\.$/,
  ],
  'another model': [{ model: 'openai/gpt' }, /^Another model was chosen: ollama\/llama before, openai\/gpt now\.$/],
  'another layout': [
    { layout: 'onyx' },
    /^Another layout was chosen: auto before, onyx now\.$/,
    { layers: [prompt, layer('project', 'Plans')] },
  ],
  'a smaller window': [
    { budget: { window: 700, reserve: 100, margin: 0 } },
    /^The budget changed: the window has 700 tokens, 2,000 before\. The history was cut to make room: turn 1 is left out now\.$/,
    { history: [turn('a', long)] },
  ],
  'a smaller window for a layer': [
    { budget: { window: 500, reserve: 100, margin: 0 } },
    /^The budget changed: the window has 500 tokens, 2,000 before\. Another form of the skills is sent: “full” before, “list” now\. .*wanted/,
    {
      layers: [
        {
          ...skills(''),
          renditions: [
            { form: 'full', text: 'x'.repeat(400) },
            { form: 'list', text: 'x' },
          ],
        },
      ],
    },
  ],
  'a project': [
    { layers: [prompt, date, layer('project', 'Plans', { origin: { kind: 'file', ref: 'project/p1' } })] },
    /^New in the request: the project \(project\/p1\)\.$/,
  ],
  'a layer that is gone': [
    { layers: [prompt, date] },
    /^No longer in the request: the project\.$/,
    { layers: [prompt, date, layer('project', 'Plans')] },
  ],
  'another agent': [
    { layers: [prompt, agent('two', 'In prose. ')] },
    /^Another custom agent was chosen: agent\/one before, agent\/two now\.$/,
    { layers: [prompt, agent('one', 'In verse. ')] },
  ],
  'a turn that was taken back': [{ history: [], undone: [{ turn: 't1', tokens: 3 }] }, /^A turn was taken back\.$/],
  'another branch': [
    { history: [], current: turn('t9', 'Other') },
    /^The conversation goes on in another branch: turn 1 of the earlier call is no part of it\.$/,
  ],
}

for (const [what, [changes, sentence, from]] of Object.entries(causes)) {
  test(`12: the cause of a first difference is named in words: ${what}`, () => {
    assert.match(cause(changes, from), sentence)
  })
}

test('12: without the pieces the cause is the same, but for the place in a text', () => {
  const [old, now] = [assembled(usual), assembled({ ...usual, layers: [layer('system-prompt', 'Be long.'), date] })]
  const [before, after] = [{ manifest: old.manifest }, { manifest: now.manifest }]
  const comparison = { ...compare(old, now) }
  assert.equal(differenceCause(comparison, before, after), 'The text of the system prompt was edited.')
})
