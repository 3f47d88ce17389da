import assert from 'node:assert/strict'
import test from 'node:test'
import { layoutOf } from '../../context.ts'
import type { Tool } from '../../tool.ts'
import { type LayerContext, type PromptBlock } from '../../capability.ts'
import { promptBlocksLayer } from './open-skills.ts'

const tool = (name: string): Tool => ({
  name,
  inputSchema: { type: 'object' },
  execute: async () => ({ ok: true, output: name }),
})
const skill = (id: string, promptBlock: string, ...tools: readonly string[]): PromptBlock => ({
  id,
  version: '1',
  description: '',
  promptBlock,
  tools: tools.map(tool),
})
const notes = skill('notes', '\nNote what matters.\n', 'add_note', 'find_note')
const shell = skill('shell', 'Run one program.', 'shell')
const manners = skill('manners', 'Be kind.')

type Setting = Partial<LayerContext> & Pick<LayerContext, 'layout'>

/** The text that a layout has for capabilities, with the name of its layer; `undefined` where there is no layer. */
async function sent(setting: Setting): Promise<readonly [layer: string, text: string] | undefined> {
  const [layer] = promptBlocksLayer({ tools: [], promptBlocks: [], callsTools: true, ...setting })
  return layer && [layer.layer, layer.renditions[0]!.text]
}

const all = [notes, manners, shell]
const offered = ['add_note', 'find_note', 'shell']

for (const [rule, setting, expected] of [
  [
    'all of them, those without tools too',
    { promptBlocks: all, tools: offered },
    '# Skills\n\n## Skill: notes\n\nNote what matters.\n\n## Skill: manners\n\nBe kind.\n\n## Skill: shell\n\nRun one program.',
  ],
  [
    'the order of the capabilities',
    { promptBlocks: [shell, notes], tools: offered },
    '# Skills\n\n## Skill: shell\n\nRun one program.\n\n## Skill: notes\n\nNote what matters.',
  ],
  [
    'one with a single tool left',
    { promptBlocks: [notes], tools: ['find_note'] },
    '# Skills\n\n## Skill: notes\n\nNote what matters.',
  ],
  [
    'none whose tools are all refused',
    { promptBlocks: all, tools: ['shell'] },
    '# Skills\n\n## Skill: manners\n\nBe kind.\n\n## Skill: shell\n\nRun one program.',
  ],
  [
    'none with tools where nothing can be called',
    { promptBlocks: all, tools: offered, callsTools: false },
    '# Skills\n\n## Skill: manners\n\nBe kind.',
  ],
  ['nothing at all where none is left', { promptBlocks: [notes, shell], tools: [] }, undefined],
  ['nothing where there are no skills', { promptBlocks: [], tools: offered }, undefined],
  ['nothing where nobody says which', { tools: offered }, undefined],
  [
    'no heading without content',
    { promptBlocks: [skill('blank', ' \n'), manners] },
    '# Skills\n\n## Skill: manners\n\nBe kind.',
  ],
  [
    'nothing where all blocks are blank',
    { promptBlocks: [skill('blank', ''), skill('tools', '\t', 'shell')], tools: offered },
    undefined,
  ],
  ['a heading on one line', { promptBlocks: [skill('a\n# b ', 'Text.')] }, '# Skills\n\n## Skill: a # b\n\nText.'],
] as const satisfies readonly (readonly [string, Partial<LayerContext>, string | undefined])[]) {
  test(`the layer skills of ayati has ${rule}`, async () => {
    for (const layout of ['ayati', { extends: 'ayati' }].map((one) => layoutOf(one))) {
      assert.deepEqual(await sent({ ...setting, layout }), expected && ['skills', expected])
    }
  })
}

for (const [rule, setting, expected] of [
  ['the blocks of what is offered', { promptBlocks: all, tools: offered }, 'Note what matters.\n\nRun one program.'],
  [
    'the order of the capabilities, not of the tools',
    { promptBlocks: [shell, notes], tools: offered },
    'Run one program.\n\nNote what matters.',
  ],
  ['a skill with a single tool left', { promptBlocks: all, tools: ['find_note'] }, 'Note what matters.'],
  [
    'no block of a skill whose tools are all refused',
    { promptBlocks: all, tools: ['shell', 'other'] },
    'Run one program.',
  ],
  ['no block of a skill without tools', { promptBlocks: [manners], tools: offered }, undefined],
  ['nothing where nothing is offered', { promptBlocks: all, tools: [] }, undefined],
  ['nothing where nothing can be called', { promptBlocks: all, tools: offered, callsTools: false }, undefined],
  ['nothing of a blank block', { promptBlocks: [skill('blank', ' \n', 'shell')], tools: offered }, undefined],
  ['nothing where nobody says which', { tools: offered }, undefined],
] as const satisfies readonly (readonly [string, Partial<LayerContext>, string | undefined])[]) {
  test(`the layer tool-guidance has ${rule}`, async () => {
    for (const layout of ['auto', { extends: 'auto' }, 'onyx', { extends: 'onyx' }].map((one) => layoutOf(one))) {
      assert.deepEqual(await sent({ ...setting, layout }), expected && ['tool-guidance', expected])
    }
  })
}

test('chai and deepchat know no such layer', async () => {
  for (const layout of ['chai', { extends: 'chai' }, 'deepchat', { extends: 'deepchat' }].map((one) => layoutOf(one))) {
    assert.equal(await sent({ promptBlocks: all, tools: offered, layout }), undefined)
  }
})

test('what is sent comes from the operator, under its own name', async () => {
  const layers = promptBlocksLayer({
    layout: layoutOf('auto'),
    tools: offered,
    promptBlocks: [shell],
    callsTools: true,
  })
  assert.deepEqual(layers, [
    {
      id: 'tool-guidance',
      layer: 'tool-guidance',
      renditions: [{ form: 'full', text: 'Run one program.' }],
      origin: { kind: 'operator', ref: 'prompt blocks of capabilities' },
    },
  ])
})
