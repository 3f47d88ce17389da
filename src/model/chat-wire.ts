import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { defined, elementsOf, fieldsOf } from '../platform.ts'
import type { Timeouts } from './call-limits.ts'
import { fromLanguageModel, type StreamingModel } from './language-model.ts'
import type { CallOptions, Model } from './model.ts'
import { httpModelSettings, type ModelSettings } from './provider.ts'
import type { Fetch } from './wire-fetch.ts'
import { answerFilter } from '../wire.ts'

type ChatApi = 'responses' | 'chat'

/** A package of the AI SDK with a model for each of the two APIs. */
export interface ChatPackage {
  /** The key of its provider options. */
  readonly optionsKey: string
  /** Whether its API takes a `prompt_cache_key`, and the other options of prompt caches. */
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
    filter: () => answerFilter(api === 'chat' ? 'chat-completions' : 'responses'),
    carries: { resultImages: api === 'responses', imageAddresses: true, ...(api === 'chat' && { audio: true }) },
    open: async (fetch) => {
      const { baseURL, apiKey = 'none', headers = {} } = settings
      const models = await chat.load({ baseURL, apiKey, headers: { ...headers }, fetch })
      const model = models[api](settings.model)
      return api === 'chat' ? withReasoning(model) : model
    },
    mark: (call, options) =>
      withProviderOptions(
        options.cacheBreakpoints && chat.takesCacheKey ? withBreakpoints(call, chat.optionsKey) : call,
        api,
        chat.optionsKey,
        options.parameters,
        chat.takesCacheKey
          ? defined({ promptCacheKey: options.cacheKey, promptCacheRetention: options.cacheRetention })
          : {},
      ),
  })
}

/** The package reads no reasoning in Chat Completions, since OpenAI sends none there. Other servers do: it is read from the chunks. */
function withReasoning(model: StreamingModel): StreamingModel {
  return {
    async doStream(call) {
      const answer = await model.doStream({ ...call, includeRawChunks: true })
      const read = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        transform(part, out) {
          // The mark of a chunk with reasoning.
          if (part.type === 'source') return
          if (part.type !== 'raw') return out.enqueue(part)
          for (const choice of elementsOf(fieldsOf(part.rawValue)['choices'])) {
            const delta = fieldsOf(fieldsOf(choice)['delta'])['reasoning_content']
            if (typeof delta === 'string') out.enqueue({ type: 'reasoning-delta', id: 'reasoning', delta })
          }
        },
      })
      return { ...answer, stream: answer.stream.pipeThrough(read) }
    },
  }
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
  cacheOptions: SharedV4ProviderOptions[string] = {},
): LanguageModelV4CallOptions {
  const tools = call.tools?.map((tool) => (tool.type === 'function' ? { ...tool, strict: tool.strict ?? false } : tool))
  const options: SharedV4ProviderOptions[string] = {
    ...(api === 'responses' && { store: false }),
    ...(responseFormat?.schema && { strictJsonSchema: responseFormat.strict ?? false }),
    ...defined({ parallelToolCalls }),
    ...cacheOptions,
  }
  const providerOptions = Object.keys(options).length === 0 ? undefined : { [optionsKey]: options }
  return { ...call, ...defined({ tools, providerOptions }) }
}

/** How many messages before the newest are marked: those that moving reminders may stand between, and the newest two that do not move. */
const MARKED_MESSAGES = 4

/**
 * Marks the system message and the newest messages before the last one. A prompt is read from the cache up to a mark that an
 * earlier request had, too; answers of the model cannot have one. The last message is marked by the provider itself.
 */
function withBreakpoints(call: LanguageModelV4CallOptions, optionsKey: string): LanguageModelV4CallOptions {
  const mark: SharedV4ProviderOptions = { [optionsKey]: { promptCacheBreakpoint: { mode: 'explicit' } } }
  const marked = new Set(
    call.prompt
      .flatMap(({ role }, index) => (role === 'user' || role === 'tool' ? [index] : []))
      .filter((index) => index < call.prompt.length - 1)
      .slice(-MARKED_MESSAGES),
  )
  const prompt = call.prompt.map((message, index) => {
    if (message.role === 'system') return { ...message, providerOptions: { ...message.providerOptions, ...mark } }
    if (!marked.has(index)) return message
    const content = message.content.map((part, at) =>
      at < message.content.length - 1 ? part : { ...part, providerOptions: { ...part.providerOptions, ...mark } },
    )
    return { ...message, content } as LanguageModelV4Message
  })
  return { ...call, prompt }
}
