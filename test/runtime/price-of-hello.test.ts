import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtIn } from '../../src/foreword.ts'
import { messageTokens, type TokenCounter, tokenx, toolTokens } from '../../src/context.ts'
import { o200k } from '../../src/context/o200k.ts'
import { loadConfiguration } from '../../src/runtime.ts'
import { openRuntime } from '../home/features.ts'
import { opened } from './opened.ts'

test('in an empty home "hello" costs at most 300 prompt tokens with any counter, tools included', async (t) => {
  const { home } = await opened(t)
  const { configuration } = await loadConfiguration({ home: `${home}/empty`, capabilities: builtIn, environment: {} })
  const runtime = await openRuntime({
    capabilities: builtIn,
    home: `${home}/empty`,
    configuration: { ...configuration, model: 'rehearsal' },
    environment: {},
    version: '0.1.0',
  })
  t.after(() => runtime.close())
  const { request, manifest } = await runtime.preview({ input: 'hello' })
  const counted = (counter: TokenCounter) =>
    request.tools.reduce((sum, tool) => sum + toolTokens(counter, tool), 0) +
    (request.system === undefined ? 0 : counter.perMessage + counter.text(request.system)) +
    request.messages.reduce((sum, message) => sum + messageTokens(counter, message), 0)
  assert.ok(manifest.used <= 300, `the account says ${manifest.used}`)
  for (const counter of [tokenx, o200k]) assert.ok(counted(counter) <= 300, `${counter.id} says ${counted(counter)}`)
})
