import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { AnyMessage, AssistantMessage, CacheRules, Manifest, Price, ToolDefinition } from '../context.ts'
import type { Usage } from '../wire.ts'
import type { RequestChanges } from './body-changes.ts'
import type { CallParameters } from './call-parameters.ts'

/** One model behind a provider. A call streams events and throws `ModelError`. */
export interface Model {
  /** `provider/model`, such as `ollama/llama3.2`. */
  readonly id: string
  readonly facts: ModelFacts
  /** What the API of its provider can carry. Everything unless given. */
  readonly carries?: WireCarriage
  /**
   * Makes one call. The last event is `finish`; otherwise the generator throws a `ModelError`.
   * Aborting `signal` ends the stream with a `ModelError` with the code `cancelled`.
   */
  call(request: ModelRequest, options: CallOptions): AsyncGenerator<ModelEvent>
  /** Makes the body that `call` would send, and sends nothing; `read` is given its bytes. Absent for models without HTTP. */
  requestBody?(request: ModelRequest, options: CallOptions, read?: (body: Uint8Array) => void): Promise<WireBody>
}

/** Digest, size and address of a request body. */
export interface WireBody {
  /** SHA-256, lowercase hexadecimal. */
  readonly sha256: string
  readonly bytes: number
  /** Without the query, which may contain a key. */
  readonly url: string
}

/** What the API of a provider can carry. */
export interface WireCarriage {
  /** Images in the results of tools; otherwise they follow in a message of the user. */
  readonly resultImages: boolean
  /** Images by their web address; otherwise only their bytes. */
  readonly imageAddresses: boolean
  /** Recordings in messages of the user: WAV and MP3. */
  readonly audio?: true
  /**
   * Whether the server makes one text of all messages, so that tokens of its chat template work wherever they stand: those in
   * framed texts and results of tools are written out.
   */
  readonly oneText?: boolean
}

/** Abilities, limits and price of a model, with their source. */
export interface ModelFacts {
  /** What people call it, as its maker writes it. Absent: its id. */
  readonly name?: string
  /** Prompt and answer together, tokens. */
  readonly window: number
  /** Longest answer, tokens. */
  readonly maxOutput: number
  readonly tools: boolean
  readonly vision: boolean
  /** Whether it hears recordings. No unless given. */
  readonly audio?: boolean
  readonly reasoning: boolean
  readonly toolChoiceNone: boolean
  readonly price?: Price
  /** Whether its calls cost nothing. Without it, that is so at an address of one's own where no price is known. */
  readonly free?: boolean
  readonly cache?: CacheRules
  /** Source of the window. `provider`: its own answer. `assumed` calls for a warning. */
  readonly source: 'catalog' | 'configuration' | 'provider' | 'assumed'
  /** The facts that are assumed; absent if there are none. */
  readonly assumed?: readonly AssumedFact[]
  /** ISO date of the facts, if known. */
  readonly date?: string
  /** Where a catalog has them from, such as an address. */
  readonly reference?: string
}

/** One entry of `models` in the configuration. It wins over the catalog and the answer of the provider. */
export type ModelConfiguration = Partial<Omit<ModelFacts, 'name' | 'source' | 'date' | 'reference' | 'assumed'>> & {
  /** Ids of the models that are asked in its place while its provider fails, in this order. It is no fact of the model. */
  readonly fallback?: readonly string[]
}

export type AssumedFact = 'window' | 'maxOutput' | 'tools' | 'vision' | 'reasoning'

/** A request, in canonical order: tools, system, messages. */
export interface ModelRequest {
  readonly tools: readonly ToolDefinition[]
  readonly system?: string
  readonly messages: readonly AnyMessage[]
}

export interface CallOptions {
  readonly signal: AbortSignal
  /** `none`: the model must answer without calling a tool. */
  readonly toolChoice?: 'auto' | 'none'
  readonly maxOutputTokens?: number
  /** Bounds for an answer that does not end: it is cut there with the reason `length`. `answerLimits(maxOutputTokens)` unless given. */
  readonly limits?: AnswerLimits
  /** The window that the call was budgeted for, tokens: `num_ctx` of some servers. */
  readonly window?: number
  /** Parameters of an API client; each is passed on or refused. */
  readonly parameters?: CallParameters
  /** Names what calls have in common, for providers that find their caches by it. No name of a session. */
  readonly cacheKey?: string
  /** How long the provider is asked to keep the prompt in its cache. */
  readonly cacheRetention?: '24h'
  /** The ends of the head and of settled messages are marked in the request, for providers that read their caches up to marks. */
  readonly cacheBreakpoints?: true
  /** Messages at the end that the next call has elsewhere or not at all: marks of caches are set before them. None unless given. */
  readonly movingMessages?: number
  /** What is asked to be kept for longer: up to the end of the system message, or all of the prompt. */
  readonly cacheLife?: 'head' | 'all'
  /** The engine is asked to keep the prompt. */
  readonly cachePrompt?: true
  /** How long the engine is asked to keep the model loaded after the call, seconds; -1: for ever. */
  readonly keepAlive?: number
  /** The slot of the engine that has the conversation in its cache. */
  readonly cacheSlot?: number
  /** Reasoning effort of models that can reason. `parameters.reasoningEffort` wins. */
  readonly reasoning?: 'none' | 'low' | 'medium' | 'high'
  /** The least tokens of what no server can have cached. One that reports fewer has truncated the prompt. */
  readonly leastPromptTokens?: number
  /** The least tokens of the whole prompt, for servers that report what they had cached, too. */
  readonly leastWholeTokens?: number
  /** What is changed in the body: a server has refused it otherwise. A model that makes calls finds them by itself. */
  readonly changes?: RequestChanges | undefined
  /** Only models without a server read it. Never sent. */
  readonly account?: Manifest
}

/** Bounds of one answer, independent of the request. */
export interface AnswerLimits {
  /** Text, reasoning and the input of calls together. */
  readonly characters: number
  /** From the request to the end of the answer, ms. */
  readonly milliseconds: number
}

/** An event of a call; `finish` is the last. */
export type ModelEvent =
  /** The request was sent: digest of its body, before the first answer. Absent for models without HTTP. */
  | {
      readonly type: 'wire'
      readonly sha256: string
      readonly bytes: number
      readonly url: string
      /** What was changed in the body because the server refuses it otherwise. */
      readonly changes?: RequestChanges
      /** How often it has something in another form than the log, so that every server accepts it. Absent: never. */
      readonly corrections?: Readonly<Partial<Record<PromptCorrection, number>>>
    }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** A reasoning text has ended that its provider needs back as it was: with its signature, or encrypted. No others are named. */
  | { readonly type: 'reasoning-end'; readonly providerOptions: ReasoningMetadata }
  /** A complete call. Invalid JSON stays a string and fails validation like any bad input. */
  | { readonly type: 'tool-call'; readonly toolCallId: string; readonly toolName: string; readonly input: unknown }
  /** The complete message, with the metadata that the provider needs in later calls (signatures of reasoning). */
  | {
      readonly type: 'finish'
      readonly reason: FinishReason
      /** Of `length`: the bound of Foreword that cut the answer. Absent if the model or its provider did. */
      readonly limit?: 'characters' | 'event' | 'time'
      /** Of `length`: the tool whose call was cut. Where the message has that call, its input is a string. */
      readonly cutCall?: string
      readonly usage: Usage
      readonly message: AssistantMessage
    }

/** What a provider needs back with a reasoning text, by its name. It becomes `providerOptions` of that part of the message. */
export type ReasoningMetadata = SharedV4ProviderMetadata

/**
 * What of a conversation is sent in another form than its log has it: ids and names of calls, arguments that are no object, ids of
 * items, blank texts, half characters, reasoning that cannot go back, and the seals of reasoning that another server or model has made.
 */
export type PromptCorrection =
  | 'call-id'
  | 'tool-name'
  | 'arguments'
  | 'item-id'
  | 'blank-text'
  | 'character'
  | 'reasoning'
  | 'seal'

/** Why the model stopped. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other'
