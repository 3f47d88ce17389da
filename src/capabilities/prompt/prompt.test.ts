import assert from 'node:assert/strict'
import test from 'node:test'
import { layoutOf, tokenx } from '../../context.ts'
import type { Plugin, PluginContext } from '../../capability.ts'
import type { TextRead } from '../../tool.ts'
import { promptPlugin } from './prompt.ts'

const context: PluginContext = { time: '2026-11-21T12:00:00.000Z', layout: layoutOf('auto'), tools: [] }

test("the operator's own prompt is sent, trimmed, under its own name", async () => {
  const plugin = await started({ type: 'text', text: '\n  Be kind.\n\n' })
  assert.deepEqual(await plugin.layers!(context), [
    {
      id: 'system-prompt',
      layer: 'system-prompt',
      renditions: [{ form: 'full', text: 'Be kind.' }],
      origin: { kind: 'operator', ref: 'context/system_prompt.md' },
    },
  ])
  assert.deepEqual(plugin.warnings!(), [])
})

test('a home without a prompt gets the packaged one, which leaves room in a small window', async () => {
  const plugin = await started({ type: 'missing' })
  const text = await textOf(plugin)
  assert.match(text!, /^You are Foreword/)
  assert.ok(tokenx.text(text!) <= 180, `${tokenx.text(text!)} tokens`)
  assert.deepEqual(plugin.warnings!(), [])
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
  assert.deepEqual(await blank.layers!(context), none('context/system_prompt.md'))
  assert.deepEqual(blank.warnings!(), [
    'context/system_prompt.md is blank, so no system prompt is sent; remove the file to send the packaged one',
  ])
  const own = await started({ type: 'text', text: 'Be kind.' })
  assert.deepEqual(await own.layers!({ ...context, prompt: '\n' }), none('edited system prompt'))
  const agent = { id: 'agent-1', name: 'Bare', prompt: ' ', mode: 'replace' } as const
  assert.deepEqual(await own.layers!({ ...context, prompt: 'Edited.', agent }), none('agent/agent-1'))
})

test('an unreadable prompt gives way to the packaged one, with a warning', async () => {
  const folder = await started({ type: 'unreadable', why: 'it is a folder, not a file' })
  assert.deepEqual(folder.warnings!(), [
    'context/system_prompt.md is not used, the packaged prompt is: it is a folder, not a file',
  ])
})

for (const found of [{ type: 'missing' }, { type: 'text', text: '\n' }] as const) {
  test(`under the heading of the preset ayati, a ${found.type === 'text' ? 'blank' : 'missing'} file is one warning`, async () => {
    const plugin = promptPlugin({
      file: 'system_prompt.md',
      heading: '# Base System Prompt',
      fallback: 'Packaged.',
      read: async () => found,
    })
    await plugin.start!()
    assert.equal(await textOf(plugin), '# Base System Prompt\n\nPackaged.')
    assert.equal(plugin.warnings!().length, 1)
  })
}

test('an empty fallback sends nothing', async () => {
  const plugin = promptPlugin({ file: 'system_prompt.md', fallback: '', read: async () => ({ type: 'missing' }) })
  await plugin.start!()
  assert.deepEqual(await plugin.layers!(context), [])
})

test('a changed file counts from the next reload on', async () => {
  let text = 'Old.'
  const plugin = promptPlugin({ file: 'system_prompt.md', read: async () => ({ type: 'text', text }) })
  await plugin.start!()
  text = 'New.'
  assert.equal(await textOf(plugin), 'Old.')
  await plugin.reload!()
  assert.equal(await textOf(plugin), 'New.')
})

async function started(found: TextRead): Promise<Plugin> {
  const packaged = found.type === 'missing' ? {} : { fallback: 'Packaged.\n' }
  const plugin = promptPlugin({ file: 'system_prompt.md', ...packaged, read: async () => found })
  await plugin.start!()
  return plugin
}

async function textOf(plugin: Plugin): Promise<string | undefined> {
  const layers = await plugin.layers!(context)
  return layers[0]?.renditions[0]?.text
}
