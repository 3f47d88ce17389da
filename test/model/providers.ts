import type { TestContext } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { createModels, type Models, type Timeouts } from '../../src/model.ts'
import { type ScriptedProvider, type ScriptedProviderOptions, scriptedProvider } from '../../src/testing.ts'
import { systemClock } from '../../src/platform.ts'

/** A model on every wire that is spoken: the same script answers on each. */
export const wires = [
  'ollama/scripted',
  'openai/gpt-5.4',
  'responses/gpt-5.4',
  'anthropic/claude-sonnet-5-5',
  'local/scripted',
] as const

/** Nothing is waited for that a script does not want. */
const patient: Timeouts = { firstMs: 60_000, idleMs: 60_000 }

/** The real provider packages, all led to one address. */
export function modelsAt(url: string, timeouts: Partial<Timeouts> = patient): Models {
  return createModels({
    clock: systemClock,
    known,
    environment: { KEY: 'sk-test-0123456789abcdef' },
    providers: {
      ollama: { kind: 'ollama', baseURL: url, apiKeyEnv: 'KEY', timeouts },
      openai: { kind: 'openai', baseURL: `${url}/v1`, apiKeyEnv: 'KEY', timeouts },
      responses: { kind: 'openai', baseURL: `${url}/v1`, api: 'responses', apiKeyEnv: 'KEY', timeouts },
      anthropic: { kind: 'anthropic', baseURL: `${url}/v1`, apiKeyEnv: 'KEY', timeouts },
      local: { kind: 'openai-compatible', baseURL: `${url}/v1`, apiKeyEnv: 'KEY', timeouts },
    },
    models: Object.fromEntries(wires.map((id) => [id, { reasoning: true, tools: true, window: 32_768 }])),
  })
}

/** A scripted provider that is gone after the test. */
export async function providerFor(t: TestContext, options: ScriptedProviderOptions): Promise<ScriptedProvider> {
  const provider = await scriptedProvider({
    models: [{ name: 'scripted', capabilities: ['tools', 'thinking'] }],
    ...options,
  })
  t.after(() => provider.close())
  return provider
}
