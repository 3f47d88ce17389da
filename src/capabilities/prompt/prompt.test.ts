import assert from 'node:assert/strict'
import test from 'node:test'
import { type Layout, layoutOf, tokenx } from '../../context.ts'
import type { TextRead } from '../../tool.ts'
import { type SystemPrompt, systemPrompt } from './edited-prompt.ts'

/** A layout that has no rule of its own for the prompt. */
const usual = { layout: layoutOf('auto') } satisfies Parameters<SystemPrompt['layers']>[0]

test("the operator's own prompt is sent, trimmed, under its own name", async () => {
  const prompt = await started({ type: 'text', text: '\n  Be kind.\n\n' })
  assert.deepEqual(prompt.layers(usual), [
    {
      id: 'system-prompt',
      layer: 'system-prompt',
      renditions: [{ form: 'full', text: 'Be kind.' }],
      origin: { kind: 'operator', ref: 'context/system_prompt.md' },
    },
  ])
  assert.deepEqual(prompt.warnings(), [])
})

test('a home without a prompt gets the packaged one, which leaves room in a small window', async () => {
  const prompt = await started({ type: 'missing' })
  const text = textOf(prompt)
  assert.match(text!, /^You are Foreword/)
  assert.ok(tokenx.text(text!) <= 180, `${tokenx.text(text!)} tokens`)
  assert.deepEqual(prompt.warnings(), [])
})

test('a blank prompt is the choice to send none, and the account says who made it', async () => {
  const none = (ref: string) => [
    {
      id: 'system-prompt',
      layer: 'system-prompt',
      renditions: [{ form: 'full', text: '', tokens: 0 }],
      origin: { kind: 'operator', ref },
      withheld: { code: 'no-system-prompt' },
    },
  ]
  const blank = await started({ type: 'text', text: ' \n' })
  assert.deepEqual(blank.layers(usual), none('context/system_prompt.md'))
  assert.deepEqual(blank.warnings(), [
    'context/system_prompt.md is blank, so no system prompt is sent; remove the file to send the packaged one',
  ])
  const own = await started({ type: 'text', text: 'Be kind.' })
  assert.deepEqual(own.layers(usual, '\n'), none('edited system prompt'))
  const given = { text: ' ', ref: 'agent/agent-1' }
  assert.deepEqual(own.layers({ ...usual, system: given }, 'Edited.'), none('agent/agent-1'))
})

test('an unreadable prompt gives way to the packaged one, with a warning', async () => {
  const folder = await started({ type: 'unreadable', why: 'it is a folder, not a file' })
  assert.deepEqual(folder.warnings(), [
    'context/system_prompt.md is not used, the packaged prompt is: it is a folder, not a file',
  ])
})

for (const found of [{ type: 'missing' }, { type: 'text', text: '\n' }] as const) {
  test(`under the heading of the preset ayati, a ${found.type === 'text' ? 'blank' : 'missing'} file is one warning`, async () => {
    const layout = { prompt: { heading: '# Base System Prompt', fallback: 'Packaged.' } }
    const prompt = systemPrompt({
      file: 'system_prompt.md',
      rule: layout.prompt,
      read: async () => found,
    })
    await prompt.load()
    assert.equal(textOf(prompt, layout), '# Base System Prompt\n\nPackaged.')
    assert.equal(prompt.warnings().length, 1)
  })
}

test('an empty fallback sends nothing', async () => {
  const prompt = systemPrompt({ file: 'system_prompt.md', read: async () => ({ type: 'missing' }) })
  await prompt.load()
  assert.deepEqual(prompt.layers({ layout: { prompt: { fallback: '' } } }), [])
})

test('a changed file counts from the next reload on', async () => {
  let text = 'Old.'
  const prompt = systemPrompt({ file: 'system_prompt.md', read: async () => ({ type: 'text', text }) })
  await prompt.load()
  text = 'New.'
  assert.equal(textOf(prompt), 'Old.')
  await prompt.load()
  assert.equal(textOf(prompt), 'New.')
})

async function started(found: TextRead): Promise<SystemPrompt> {
  const prompt = systemPrompt({ file: 'system_prompt.md', read: async () => found })
  await prompt.load()
  return prompt
}

function textOf(prompt: SystemPrompt, layout: Pick<Layout, 'prompt'> = usual.layout): string | undefined {
  const layers = prompt.layers({ layout })
  return layers[0]?.renditions[0]?.text
}
