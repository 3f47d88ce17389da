import { defined, fieldsOf } from '../../platform.ts'
import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider'
import {
  type CallOptions,
  type ChatPackage,
  chatWireModel,
  fromLanguageModel,
  httpModelSettings,
  type Model,
  type ModelSettings,
} from '../../model.ts'
import type { ProviderConnection } from '../../model/provider.ts'
import { answerFilter } from '../../wire.ts'

export function openaiCompatibleModel(
  settings: ModelSettings<{ readonly api?: 'responses' | 'chat' | undefined }>,
): Model {
  return settings.options.api === 'responses'
    ? chatWireModel(settings, 'responses', openaiPackage)
    : chatModel(settings)
}

const openaiPackage: ChatPackage = {
  optionsKey: 'openai',
  load: async (connection) => (await import('@ai-sdk/openai')).createOpenAI(connection),
}

function chatModel(settings: ModelSettings): Model {
  return fromLanguageModel({
    ...httpModelSettings(settings),
    carries: { resultImages: false, imageAddresses: true, audio: true, oneText: true },
    filter: () => answerFilter('chat-completions'),
    open: async (fetch) => {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const { provider: name, baseURL, apiKey, headers = {} } = settings
      const key = apiKey === undefined ? {} : { apiKey }
      return createOpenAICompatible({
        name,
        baseURL,
        ...key,
        headers: { ...headers },
        includeUsage: true,
        // A server without support reports that itself. Without this flag the AI SDK would drop the schema silently.
        supportsStructuredOutputs: true,
        fetch,
      })(settings.model)
    },
    mark: (call, options) => withParameters(call, settings.provider, options),
  })
}

function withParameters(
  call: LanguageModelV4CallOptions,
  name: string,
  { parameters: { responseFormat, reasoningEffort, parallelToolCalls } = {}, cachePrompt, cacheSlot }: CallOptions,
): LanguageModelV4CallOptions {
  const options: SharedV4ProviderOptions[string] = {
    ...(responseFormat?.schema === undefined ? {} : { strictJsonSchema: responseFormat.strict ?? false }),
    ...defined({ reasoningEffort, parallel_tool_calls: parallelToolCalls }),
    ...defined({ cache_prompt: cachePrompt, id_slot: cacheSlot }),
  }
  return Object.keys(options).length === 0 ? call : { ...call, providerOptions: { [name]: options } }
}

/** Slots of a llama.cpp server, each with the cache of one conversation (its `tools/server/README.md`), if it says. */
export async function engineSlots(connection: ProviderConnection, milliseconds: number): Promise<number | undefined> {
  // The API is below `/v1`, the properties of the server beside it.
  if (!connection.baseURL.endsWith('/v1')) return undefined
  const properties = await connection.ask('/../props', milliseconds).catch(() => undefined)
  const { total_slots: slots } = fieldsOf(properties)
  return typeof slots === 'number' && Number.isInteger(slots) && slots > 0 ? slots : undefined
}
