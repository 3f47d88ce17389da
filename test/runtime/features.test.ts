import { capabilitySettings } from '../../src/runtime.ts'
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { assemble, layoutOf, tokenx } from '../../src/context.ts'
import { startCapabilities } from '../../src/capability/toolkit.ts'
import { capabilityHost } from '../../src/testing.ts'
import { builtIn } from '../../src/foreword.ts'
import { loadConfiguration } from '../../src/runtime/configuration/load.ts'

const folder = mkdtempSync(join(tmpdir(), 'foreword-home-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('with an empty home, a first hello costs at most 200 tokens and says the date', async () => {
  const { layers } = await layersOf(join(folder, 'empty'), 'auto')
  const { manifest, request } = assemble({
    layout: layoutOf('auto'),
    layers,
    history: [],
    current: { id: 't1', messages: [{ message: { role: 'user', content: 'hello' } }] },
    tools: [],
    budget: { window: 4096, reserve: 1024 },
    counter: tokenx,
  })
  assert.ok(manifest.used <= 200, `${manifest.used} tokens`)
  assert.match(request.system!, /^You are Foreword.*\n\nToday is Saturday, 2026-11-21\.$/s)
})

for (const [layout, ids, first] of [
  ['auto', ['system-prompt', 'date', 'instructions', 'soul'], 'Be kind.'],
  ['onyx', ['system-prompt', 'date', 'instructions', 'soul'], 'Be kind.'],
  [
    'ayati',
    ['system-prompt', 'instructions', 'soul', 'user-profile', 'conversation'],
    '# Base System Prompt\n\nBe kind.',
  ],
  ['chai', ['system-prompt', 'instructions', 'soul'], 'Be kind.'],
  ['deepchat', ['system-prompt', 'instructions', 'soul'], 'Be kind.'],
] as const) {
  test(`the layout ${layout} declares ${ids.join(', ')}`, async () => {
    const home = join(folder, layout)
    mkdirSync(join(home, 'context'), { recursive: true })
    mkdirSync(join(home, 'workspace'))
    writeFileSync(join(home, 'context', 'system_prompt.md'), 'Be kind.\n')
    writeFileSync(join(home, 'context', 'soul.json'), '{"soul": {"name": "Ada"}}')
    writeFileSync(join(home, 'workspace', 'AGENTS.md'), 'Answer in verse.')
    const { layers } = await layersOf(home, layout)
    assert.deepEqual(
      layers.map(({ id }) => id),
      ids,
    )
    assert.equal(layers[0]?.renditions[0]?.text, first)
  })
}

test('a home of the preset chai without files sends no system message at all', async () => {
  const { layers, warnings } = await layersOf(join(folder, 'bare'), 'chai')
  assert.deepEqual([layers, warnings], [[], []])
})

async function layersOf(home: string, name: string) {
  const environment = { FOREWORD_CONTEXT_LAYOUT: name }
  const { problems, configuration } = await loadConfiguration({
    home,
    environment,
    timeZone: 'UTC',
    capabilities: builtIn,
  })
  assert.deepEqual(problems, [])
  const layout = layoutOf(name)
  const data = join(home, 'data')
  const host = await capabilityHost({
    home: { folder: home, data, workspace: join(home, 'workspace') },
    layout,
    writes: false,
    settings: Object.fromEntries(builtIn.map((one) => [one.name, capabilitySettings(configuration, one)])),
  })
  const running = await startCapabilities(builtIn, host)
  const layers = await running.layers({
    time: '2026-11-21T12:00:00.000Z',
    layout,
    tools: [],
    callsTools: true,
    choices: {},
    readsForeign: false,
    cites: false,
  })
  const warnings = running.warnings()
  await running.stop()
  return { layers, warnings }
}
