import assert from 'node:assert/strict'
import test from 'node:test'
import type { TextRead } from '../../tool.ts'
import { openInstructions } from './instructions.ts'

test('AGENTS.md is a layer, trimmed', async () => {
  assert.deepEqual(await layersAndWarnings({ type: 'text', text: '  Be nice.\n' }), {
    layers: [
      {
        id: 'instructions',
        layer: 'instructions',
        renditions: [{ form: 'full', text: 'Be nice.' }],
        origin: { kind: 'operator', ref: 'workspace/AGENTS.md' },
      },
    ],
    warnings: [],
  })
})

test('a missing or blank AGENTS.md is nothing at all', async () => {
  assert.deepEqual(await layersAndWarnings({ type: 'missing' }), { layers: [], warnings: [] })
  assert.deepEqual(await layersAndWarnings({ type: 'text', text: ' \n\t' }), { layers: [], warnings: [] })
})

test('an unreadable AGENTS.md is a warning that names it', async () => {
  assert.deepEqual(await layersAndWarnings({ type: 'unreadable', why: 'it is not valid UTF-8' }), {
    layers: [],
    warnings: ['workspace/AGENTS.md is not used: it is not valid UTF-8'],
  })
})

async function layersAndWarnings(found: TextRead) {
  const opened = await openInstructions('AGENTS.md', async () => found)
  return { layers: opened.layers, warnings: opened.warnings }
}
