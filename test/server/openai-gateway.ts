import type { TestContext } from 'node:test'
import OpenAI from 'openai'
import { type GatewayChoices, scriptedGateway } from './scripted-gateway.ts'
import { TOKEN } from './served.ts'

interface OpenaiChoices extends GatewayChoices {
  /** With the scripted server as Ollama and as Anthropic, too. */
  readonly allWires?: boolean
}

/** A whole gateway on a port, in front of a scripted server that speaks Chat Completions; `client` is OpenAI's own. */
export async function gateway(t: TestContext, { answer, configuration = {}, allWires = false }: OpenaiChoices = {}) {
  const { url, provider, runtime, tokens, home } = await scriptedGateway(t, answer, (address) => ({
    model: 'lab/scripted',
    providers: {
      lab: { kind: 'openai-compatible', baseURL: `${address}/v1` },
      chat: { kind: 'openai', api: 'chat', baseURL: `${address}/v1`, apiKeyEnv: 'KEY' },
      responses: { kind: 'openai', api: 'responses', baseURL: `${address}/v1`, apiKeyEnv: 'KEY' },
      ...(allWires && {
        ollama: { kind: 'ollama', baseURL: address },
        anthropic: { kind: 'anthropic', baseURL: `${address}/v1`, apiKeyEnv: 'KEY' },
      }),
    },
    models: { 'lab/scripted': { window: 8192, vision: true }, 'lab/blind': { window: 8192, vision: false } },
    ...configuration,
  }))
  const client = new OpenAI({ apiKey: TOKEN, baseURL: `${url}/v1`, maxRetries: 0 })
  /** OpenAI's client with a token of this name. */
  const clientOf = async (name: string) => {
    const { token } = await tokens.named.make({ name, scope: 'talk' }, 'test')
    return new OpenAI({ apiKey: token, baseURL: `${url}/v1`, maxRetries: 0 })
  }
  const revoke = (name: string) => tokens.named.revoke(name, 'test')
  return { url, client, clientOf, revoke, provider, runtime, home }
}

/** A picture of one pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
