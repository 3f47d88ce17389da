import { defined } from '../platform.ts'
import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { z } from 'zod'
import { fromLanguageModel } from './language-model.ts'
import type { CallOptions, Model } from './model.ts'
import { httpModelSettings, type ModelSettings } from './model-settings.ts'
import type { Timeouts } from './timeouts.ts'

/** The settings of a provider that speaks both of OpenAI's formats. */
export const openaiWireSettings = {
  api: z
    .enum(['responses', 'chat'])
    .optional()
    .describe("Which wire of OpenAI's is spoken: `responses` at its own address, `chat` elsewhere, unless given."),
}

type Api = 'responses' | 'chat'

/**
 * A model behind OpenAI's own formats. The Responses API is used stateless: nothing is stored there, every request carries
 * the whole conversation, and encrypted reasoning goes back with it.
 */
export function openaiWireModel(settings: ModelSettings, api: Api, timeouts?: Timeouts): Model {
  return fromLanguageModel({
    ...httpModelSettings(settings, timeouts),
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
  api: Api,
  { responseFormat, parallelToolCalls }: NonNullable<CallOptions['parameters']> = {},
): LanguageModelV4CallOptions {
  const tools = call.tools?.map((tool) => (tool.type === 'function' ? { ...tool, strict: tool.strict ?? false } : tool))
  const openai: SharedV4ProviderOptions[string] = {
    ...(api === 'responses' ? { store: false } : {}),
    ...(responseFormat?.schema === undefined ? {} : { strictJsonSchema: responseFormat.strict ?? false }),
    ...defined({ parallelToolCalls }),
  }
  const providerOptions = Object.keys(openai).length === 0 ? {} : { providerOptions: { openai } }
  return { ...call, ...(tools ? { tools } : {}), ...providerOptions }
}
