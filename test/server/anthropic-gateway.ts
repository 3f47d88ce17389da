import type { TestContext } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { type GatewayChoices, scriptedGateway } from './scripted-gateway.ts'
import { TOKEN } from './served.ts'

/** A whole gateway on a port, in front of a scripted server that speaks Messages and Chat Completions; `client` is Anthropic's own. */
export async function anthropicGateway(t: TestContext, { answer, configuration = {} }: GatewayChoices = {}) {
  const { url, provider, runtime } = await scriptedGateway(t, answer, (address) => ({
    model: 'lab/scripted',
    providers: {
      lab: { kind: 'openai-compatible', baseURL: `${address}/v1` },
      anthropic: { kind: 'anthropic', baseURL: `${address}/v1`, apiKeyEnv: 'KEY' },
    },
    models: { 'lab/scripted': { window: 8192, vision: true, maxOutput: 4096 } },
    agent: { retryForMs: 0 },
    ...configuration,
  }))
  const client = new Anthropic({ apiKey: TOKEN, baseURL: url, maxRetries: 0 })
  return { url, client, provider, runtime }
}
