import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext } from 'node:test'
import OpenAI from 'openai'
import { builtIn } from '../../src/foreword.ts'
import { loadConfiguration, openGatewayTokens } from '../../src/runtime.ts'
import { listen } from '../../src/server.ts'
import { scriptedProvider, type ScriptedProviderOptions } from '../../src/testing.ts'
import { openRuntime } from '../home/features.ts'
import { createTestServer as createServer } from '../home/test-server.ts'
import { TOKEN } from './served.ts'

/** A whole gateway on a port, in front of a scripted server that speaks Chat Completions; `client` is OpenAI's own. */
export async function gateway(
  t: TestContext,
  {
    answer,
    configuration: extra = {},
    allWires = false,
  }: Pick<ScriptedProviderOptions, 'answer'> & {
    readonly configuration?: object
    /** With the scripted server as Ollama and as Anthropic, too. */
    readonly allWires?: boolean
  } = {},
) {
  const provider = await scriptedProvider(answer ? { answer } : {})
  const home = mkdtempSync(join(tmpdir(), 'foreword-openai-'))
  const written = {
    model: 'lab/scripted',
    providers: {
      lab: { kind: 'openai-compatible', baseURL: `${provider.url}/v1` },
      chat: { kind: 'openai', api: 'chat', baseURL: `${provider.url}/v1`, apiKeyEnv: 'KEY' },
      responses: { kind: 'openai', api: 'responses', baseURL: `${provider.url}/v1`, apiKeyEnv: 'KEY' },
      ...(allWires && {
        ollama: { kind: 'ollama', baseURL: provider.url },
        anthropic: { kind: 'anthropic', baseURL: `${provider.url}/v1`, apiKeyEnv: 'KEY' },
      }),
    },
    models: { 'lab/scripted': { window: 8192, vision: true }, 'lab/blind': { window: 8192, vision: false } },
    ...extra,
  }
  writeFileSync(join(home, 'config.json'), JSON.stringify(written))
  const { configuration } = await loadConfiguration({ home, capabilities: builtIn, environment: {} })
  const runtime = await openRuntime({
    capabilities: builtIn,
    home,
    configuration,
    environment: { KEY: 'sk-test-0123456789' },
    version: '0.1.0',
  })
  const tokens = openGatewayTokens({ home, store: runtime.store, random: randomBytes })
  const server = createServer(runtime, { token: TOKEN, tokens, bind: '127.0.0.1', version: '0.1.0' })
  const { url, close } = await listen(server, { port: 0, bind: '127.0.0.1' })
  t.after(async () => {
    await close({ graceMs: 500 })
    await runtime.close()
    await provider.close()
    rmSync(home, { recursive: true, force: true })
  })
  const client = new OpenAI({ apiKey: TOKEN, baseURL: `${url}/v1`, maxRetries: 0 })
  /** OpenAI's client with a token of this name. */
  const clientOf = async (name: string) => {
    const { token } = await tokens.named.make({ name, scope: 'talk' }, 'test')
    return new OpenAI({ apiKey: token, baseURL: `${url}/v1`, maxRetries: 0 })
  }
  return { url, client, clientOf, provider, runtime, home }
}

/** A picture of one pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
