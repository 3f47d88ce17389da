import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { defined } from '../platform.ts'
import type { Timeouts } from './call-limits.ts'
import { fromLanguageModel, type StreamingModel } from './language-model.ts'
import type { CallOptions, Model } from './model.ts'
import { httpModelSettings, type ModelSettings } from './provider.ts'
import type { Fetch } from './wire-fetch.ts'

type ChatApi = 'responses' | 'chat'

/** A package of the AI SDK with a model for each of the two APIs. */
export interface ChatPackage {
  /** The key of its provider options. */
  readonly optionsKey: string
  /** Whether its API takes a `prompt_cache_key`. */
  readonly takesCacheKey?: boolean
  /** Loads the package. Sends no request. */
  load(connection: ChatConnection): Promise<Readonly<Record<ChatApi, (model: string) => StreamingModel>>>
}

export interface ChatConnection {
  readonly baseURL: string
  readonly apiKey: string
  readonly headers: Record<string, string>
  readonly fetch: Fetch
}

/**
 * Opens a model behind the Responses API or Chat Completions. The Responses API is used stateless: nothing is stored there,
 * every request contains the whole conversation, and encrypted reasoning is sent back with it.
 */
export function chatWireModel(settings: ModelSettings, api: ChatApi, chat: ChatPackage, timeouts?: Timeouts): Model {
  return fromLanguageModel({
    ...httpModelSettings(settings, timeouts),
    carries: { resultImages: api === 'responses', imageAddresses: true },
    open: async (fetch) => {
      const { baseURL, apiKey = 'none', headers = {} } = settings
      const models = await chat.load({ baseURL, apiKey, headers: { ...headers }, fetch })
      return models[api](settings.model)
    },
    mark: (call, { parameters, cacheKey }) =>
      withProviderOptions(call, api, chat.optionsKey, parameters, chat.takesCacheKey ? cacheKey : undefined),
  })
}

/**
 * `store: false` keeps whole texts in every request, where a stored conversation would be referred to by ids that cannot be
 * rebuilt. `strict: false` unless a tool asks for it, because the API would otherwise rewrite schemas that were not made for
 * strict mode.
 */
function withProviderOptions(
  call: LanguageModelV4CallOptions,
  api: ChatApi,
  optionsKey: string,
  { responseFormat, parallelToolCalls }: NonNullable<CallOptions['parameters']> = {},
  promptCacheKey?: string,
): LanguageModelV4CallOptions {
  const tools = call.tools?.map((tool) => (tool.type === 'function' ? { ...tool, strict: tool.strict ?? false } : tool))
  const options: SharedV4ProviderOptions[string] = {
    ...(api === 'responses' && { store: false }),
    ...(responseFormat?.schema && { strictJsonSchema: responseFormat.strict ?? false }),
    ...defined({ parallelToolCalls, promptCacheKey }),
  }
  const providerOptions = Object.keys(options).length === 0 ? undefined : { [optionsKey]: options }
  return { ...call, ...defined({ tools, providerOptions }) }
}
