import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2StreamPart,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { type Clock, defined, systemClock } from '../platform.ts'
import { assumedFacts, mergeFacts } from './catalog.ts'
import type { Model, ModelConfiguration, WireCarriage } from './model.ts'
import { fromLanguageModel, type LanguageModelSettings, type StreamingModel } from './language-model.ts'
import type { Fetch } from './wire-fetch.ts'

/** A language model of the AI SDK, version 2, 3 or 4 of its contract. */
export type SdkLanguageModel = LanguageModelV4 | LanguageModelV3 | LanguageModelV2

/** Facts and call settings of a model. Missing facts are assumed, as for an unknown model. */
export interface LanguageModelOptions
  extends ModelConfiguration, Pick<LanguageModelSettings, 'carries' | 'timeouts' | 'secrets' | 'fetch'> {
  /** That of this machine unless given. */
  readonly clock?: Clock
  /** `provider/model`. The names in the model unless given. */
  readonly id?: string
}

/**
 * Makes a `Model` from any language model of the AI SDK: `languageModel(openrouter('x/y'), { window: 128_000 })`.
 *
 * A function instead of the model receives a `fetch`. A model that uses it has the digest of each request in the record of
 * its calls: `languageModel((fetch) => createOpenRouter({ apiKey, fetch })('x/y'), { window: 128_000 })`.
 */
export function languageModel(
  model: SdkLanguageModel | ((fetch: Fetch) => SdkLanguageModel),
  options: LanguageModelOptions = {},
): Model {
  const { id, carries, timeouts, secrets, fetch = globalThis.fetch, clock = systemClock, ...own } = options
  const make = typeof model === 'function' ? model : () => model
  const first = make(fetch)
  const source = own.window === undefined ? {} : { source: 'configuration' as const }
  return fromLanguageModel({
    id: id ?? `${first.provider.split('.')[0]}/${first.modelId}`,
    clock,
    facts: mergeFacts(assumedFacts(first.modelId), { ...own, ...source }),
    carries: carries ?? PLAIN_WIRE,
    usesFetch: typeof model === 'function',
    open: (watched) => streamingModel(make(watched)),
    fetch,
    ...defined({ timeouts, secrets }),
  })
}

/** Texts in results and images as bytes, which every version of the contract supports. */
export const PLAIN_WIRE: WireCarriage = { resultImages: false, imageAddresses: false }

/** Adapts the model to the current version of the contract. */
export function streamingModel(model: SdkLanguageModel): StreamingModel {
  switch (model.specificationVersion) {
    case 'v4':
      return model
    case 'v3':
      return {
        async doStream(call) {
          const { stream } = await model.doStream(earlierCall(call) as LanguageModelV3CallOptions)
          return { stream: stream as ReadableStream<unknown> as V4Stream }
        },
      }
    case 'v2':
      return {
        async doStream(call) {
          const { stream } = await model.doStream(earlierCall(call) as LanguageModelV2CallOptions)
          return { stream: stream.pipeThrough(new TransformStream({ transform: passCurrentPart })) }
        },
      }
    default:
      throw new TypeError(
        `Unsupported specificationVersion: use a language model of the AI SDK with v2, v3 or v4, not ${JSON.stringify((model as { specificationVersion?: unknown }).specificationVersion)}`,
      )
  }
}

type V4Stream = ReadableStream<LanguageModelV4StreamPart>

/**
 * A call for versions 2 and 3 of the contract: file data without a tag, and no `reasoning`. Results are already texts
 * (`PLAIN_WIRE`).
 */
function earlierCall(call: LanguageModelV4CallOptions): unknown {
  const { reasoning: _, ...rest } = call
  return { ...rest, prompt: call.prompt.map(earlierMessage) }
}

function earlierMessage(message: LanguageModelV4Message): unknown {
  if (message.role === 'system') return message
  return {
    ...message,
    content: message.content.map((part) => {
      if (part.type === 'tool-result' && part.output.type === 'execution-denied') {
        return { ...part, output: { type: 'error-text', value: part.output.reason ?? 'the call was denied' } }
      }
      if (part.type !== 'file') return part
      const { data } = part
      return { ...part, data: data.type === 'data' ? data.data : data.type === 'url' ? data.url : undefined }
    }),
  }
}

/** Converts a part of a version 2 stream: of the parts that are read, only `finish` differs. */
function passCurrentPart(
  part: LanguageModelV2StreamPart,
  controller: TransformStreamDefaultController<LanguageModelV4StreamPart>,
): void {
  if (part.type !== 'finish') return controller.enqueue(part as LanguageModelV4StreamPart)
  const { finishReason: raw, usage } = part
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens } = usage
  controller.enqueue({
    type: 'finish',
    finishReason: raw === 'unknown' ? { unified: 'other', raw: undefined } : { unified: raw, raw },
    usage: {
      inputTokens: { total: inputTokens, noCache: undefined, cacheRead: cachedInputTokens, cacheWrite: undefined },
      outputTokens: { total: outputTokens, text: undefined, reasoning: reasoningTokens },
    },
  })
}
