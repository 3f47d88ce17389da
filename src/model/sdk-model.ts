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
import { assumedFacts, withTold } from './catalog.ts'
import type { ModelConfiguration } from './configuration.ts'
import { fromLanguageModel, type LanguageModelSettings, type StreamingModel } from './language-model.ts'
import type { Model, WireCarriage } from './model.ts'
import type { Fetch } from './wire-fetch.ts'

/** A language model of the AI SDK, of any version of its contract that is in use. */
export type SdkLanguageModel = LanguageModelV4 | LanguageModelV3 | LanguageModelV2

/** What is known of the model, and how it is called. Facts that are not given are assumed, as for an unknown model. */
export interface LanguageModelOptions
  extends ModelConfiguration, Pick<LanguageModelSettings, 'carries' | 'timeouts' | 'secrets' | 'fetch'> {
  /** `provider/model`. The names that the model has for itself unless given. */
  readonly id?: string
}

/**
 * Any language model of the AI SDK as a `Model`: `languageModel(openrouter('x/y'), { window: 128_000 })`.
 *
 * A function instead of the model is given a `fetch`. A model that sends through it has the digest of each request in the
 * account of its calls: `languageModel((fetch) => createOpenRouter({ apiKey, fetch })('x/y'), { window: 128_000 })`.
 */
export function languageModel(
  model: SdkLanguageModel | ((fetch: Fetch) => SdkLanguageModel),
  options: LanguageModelOptions = {},
): Model {
  const { id, carries, timeouts, secrets, fetch = globalThis.fetch, ...own } = options
  const make = typeof model === 'function' ? model : () => model
  const first = make(fetch)
  const source = own.window === undefined ? {} : { source: 'configuration' as const }
  return fromLanguageModel({
    id: id ?? `${first.provider.split('.')[0]}/${first.modelId}`,
    facts: withTold(assumedFacts(first.modelId), { ...own, ...source }),
    carries: carries ?? PLAIN_WIRE,
    usesFetch: typeof model === 'function',
    open: (watched) => streamingModel(make(watched)),
    fetch,
    ...(timeouts ? { timeouts } : {}),
    ...(secrets ? { secrets } : {}),
  })
}

/** Texts in results, images as bytes: what every version of the contract has a place for. */
export const PLAIN_WIRE: WireCarriage = { resultImages: false, imageAddresses: false }

/** The model as the current version of the contract has it. */
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
        `a language model of the AI SDK has the specificationVersion v2, v3 or v4, not ${JSON.stringify((model as { specificationVersion?: unknown }).specificationVersion)}`,
      )
  }
}

type V4Stream = ReadableStream<LanguageModelV4StreamPart>

/**
 * A call as versions 2 and 3 of the contract have it: data of files without a tag, and no `reasoning`. Results are texts
 * already (`PLAIN_WIRE`).
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

/** A part of a stream of version 2 in the current form: of those that are read, only the end differs. */
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
