import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { fromLanguageModel } from '../language-model.ts'
import type { CallOptions, Model } from '../model.ts'
import type { Patience } from '../patience.ts'
import { commonSettings, type DoorSettings } from './settings.ts'

export const OPENAI_URL = 'https://api.openai.com/v1'

/** Reasoning can be silent for long, and Node's own `fetch` gives up after 300 seconds. */
const PATIENCE: Patience = { firstMs: 280_000, idleMs: 180_000 }

/**
 * A model of OpenAI's. Its own address is asked by the Responses API, stateless: nothing is stored there, every request
 * carries the whole conversation, and encrypted reasoning goes back with it. Other addresses speak Chat Completions, the
 * form that proxies and scripted servers know (`docs/decisions/0004-models.md`).
 */
export function openaiModel(settings: DoorSettings & { readonly api?: 'responses' | 'chat' }): Model {
  const api = settings.api ?? (settings.baseURL === OPENAI_URL ? 'responses' : 'chat')
  return fromLanguageModel({
    ...commonSettings(settings, PATIENCE),
    carries: { resultImages: api === 'responses', imageAddresses: true },
    open: async (fetch) => {
      const { createOpenAI } = await import('@ai-sdk/openai')
      const { baseURL, apiKey = 'none', headers = {} } = settings
      const openai = createOpenAI({ baseURL, apiKey, headers: { ...headers }, fetch })
      return api === 'responses' ? openai.responses(settings.model) : openai.chat(settings.model)
    },
    mark: (call, { parameters }) => marked(call, api, parameters),
  })
}

/**
 * `store: false` keeps whole texts in every request, where a stored conversation would be referred to by ids that nobody
 * can rebuild. `strict: false` unless a tool asks for it, because that API would otherwise rewrite schemas that were not
 * made for strict mode.
 */
function marked(
  call: LanguageModelV4CallOptions,
  api: 'responses' | 'chat',
  { responseFormat, parallelToolCalls }: NonNullable<CallOptions['parameters']> = {},
): LanguageModelV4CallOptions {
  const tools = call.tools?.map((tool) => (tool.type === 'function' ? { ...tool, strict: tool.strict ?? false } : tool))
  const openai: SharedV4ProviderOptions[string] = {
    ...(api === 'responses' ? { store: false } : {}),
    ...(responseFormat?.schema === undefined ? {} : { strictJsonSchema: responseFormat.strict ?? false }),
    ...(parallelToolCalls === undefined ? {} : { parallelToolCalls }),
  }
  const providerOptions = Object.keys(openai).length === 0 ? {} : { providerOptions: { openai } }
  return { ...call, ...(tools ? { tools } : {}), ...providerOptions }
}
