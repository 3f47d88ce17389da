import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { builtIn } from '../../src/foreword.ts'
import { loadConfiguration } from '../../src/runtime.ts'
import { listen } from '../../src/server.ts'
import { scriptedProvider, type ScriptedProviderOptions } from '../../src/testing.ts'
import { openRuntime } from '../home/features.ts'
import { createTestServer as createServer } from '../home/test-server.ts'
import { TOKEN } from './served.ts'

/** A whole gateway on a port, in front of a scripted server that speaks Messages and Chat Completions; `client` is Anthropic's own. */
export async function anthropicGateway(
  t: TestContext,
  { answer, configuration: extra = {} }: Pick<ScriptedProviderOptions, 'answer'> & { configuration?: object } = {},
) {
  const provider = await scriptedProvider(answer ? { answer } : {})
  const home = mkdtempSync(join(tmpdir(), 'foreword-anthropic-'))
  const written = {
    model: 'lab/scripted',
    providers: {
      lab: { kind: 'openai-compatible', baseURL: `${provider.url}/v1` },
      anthropic: { kind: 'anthropic', baseURL: `${provider.url}/v1`, apiKeyEnv: 'KEY' },
    },
    models: { 'lab/scripted': { window: 8192, vision: true, maxOutput: 4096 } },
    agent: { retryForMs: 0 },
    ...extra,
  }
  writeFileSync(join(home, 'config.json'), JSON.stringify(written))
  const { configuration } = await loadConfiguration({ home, capabilities: builtIn, environment: {} })
  const environment = { KEY: 'sk-test-0123456789' }
  const runtime = await openRuntime({ capabilities: builtIn, home, configuration, environment, version: '0.1.0' })
  const server = createServer(runtime, { token: TOKEN, bind: '127.0.0.1', version: '0.1.0' })
  const { url, close } = await listen(server, { port: 0, bind: '127.0.0.1' })
  t.after(async () => {
    await close({ graceMs: 500 })
    await runtime.close()
    await provider.close()
    rmSync(home, { recursive: true, force: true })
  })
  const client = new Anthropic({ apiKey: TOKEN, baseURL: url, maxRetries: 0 })
  return { url, client, provider, runtime }
}
