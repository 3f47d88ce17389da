import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tide } from '../../examples/03-own-tools.ts'
import { createToolbox } from '../../src/tool.ts'
import { systemClock } from '../../src/platform.ts'

const { run } = createToolbox([tide])
const context = { clock: systemClock, session: 's1', turn: 't1', signal: new AbortController().signal }

test('the tide is a height in metres, and an hour that is not one is refused', async () => {
  const ask = (hour: unknown) => run({ toolCallId: 'c1', toolName: 'tide', input: { hour } }, context)
  assert.deepEqual(await ask(0), { ok: true, output: '7.00' })
  assert.equal((await ask('noon')).meta?.['failure'], 'invalid-input')
})
