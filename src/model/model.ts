import type { AnyMessage, AssistantMessage, ToolDefinition } from '../context.ts'
import type { CallParameters } from './call-parameters.ts'

/** One model behind a provider. A call streams events and throws `ModelError`. */
export interface Model {
  /** `provider/model`, such as `ollama/llama3.2`. */
  readonly id: string
  readonly facts: ModelFacts
  /** What its provider's wire has a place for. Absent: everything. */
  readonly carries?: WireCarriage
  /**
   * Makes one call. The last event is `finish`; without it the call failed and the generator has thrown a `ModelError`.
   * Aborting `signal` ends the stream with a `ModelError` of code `cancelled`.
   */
  call(request: ModelRequest, options: CallOptions): AsyncGenerator<ModelEvent>
  /** Makes the body that `call` would send, and sends nothing. Absent for models without a wire. */
  bodyOf?(request: ModelRequest, options: CallOptions): Promise<WireBody>
}

/** A body for a provider: the digest and size of its very bytes, and where it goes. */
export interface WireBody {
  /** SHA-256, lowercase hexadecimal. */
  readonly sha256: string
  readonly bytes: number
  /** Without its query, which may hold a key. */
  readonly url: string
}

/** What a provider's wire has a place for. What it has none for is replaced by a marker before anything is counted. */
export interface WireCarriage {
  /** Images in the results of tools. */
  readonly resultImages: boolean
  /** Images by their web address; otherwise only their bytes. */
  readonly imageAddresses: boolean
}

/** What a model is and costs. `source` and `date` say where that is known from. */
export interface ModelFacts {
  /** Prompt and answer together, tokens. */
  readonly window: number
  /** Longest answer, tokens. */
  readonly maxOutput: number
  readonly tools: boolean
  readonly vision: boolean
  readonly reasoning: boolean
  /** Whether `toolChoice: none` can be asked of it while tools are sent. */
  readonly toolChoiceNone: boolean
  readonly price?: Price
  readonly cache?: CacheRules
  /** Where the window is known from: `catalog`, `configuration`, `provider` (its own answer), or `assumed`: then a warning is due. */
  readonly source: 'catalog' | 'configuration' | 'provider' | 'assumed'
  /** The figures that nobody told and that were worked out or guessed here; absent where there are none. */
  readonly assumed?: readonly AssumedFact[]
  /** ISO date of the fact, where it is dated. */
  readonly date?: string
}

/** A fact that can be assumed. */
export type AssumedFact = 'window' | 'maxOutput' | 'tools' | 'vision' | 'reasoning'

/** US dollars per million tokens. */
export interface Price {
  readonly input: number
  readonly cachedInput?: number
  readonly cacheWrite?: number
  readonly output: number
  /** Prompts of more than so many tokens cost this instead, all of their tokens and those of the answer. */
  readonly above?: { readonly tokens: number; readonly price: Omit<Price, 'above'> }
}

/** How the provider caches prompts. */
export interface CacheRules {
  /** `automatic`: any repeated beginning. `marked`: up to marks in the request. */
  readonly kind: 'automatic' | 'marked'
  /** Shorter prompts are not cached, tokens. */
  readonly minimumTokens: number
  /** Reuse is counted in steps of so many tokens. */
  readonly step?: number
  readonly lifetimeSeconds: number
}

/** What is sent, in canonical order: tools, system, messages. */
export interface ModelRequest {
  readonly tools: readonly ToolDefinition[]
  readonly system?: string
  readonly messages: readonly AnyMessage[]
}

/** How one call is to be made. */
export interface CallOptions {
  readonly signal: AbortSignal
  /** `none`: the model must answer without calling a tool. */
  readonly toolChoice?: 'auto' | 'none'
  readonly maxOutputTokens?: number
  /** Bounds for an answer that does not end: it is cut there, and its reason is `length`. Absent: `DEFAULT_LIMITS`. */
  readonly limits?: AnswerLimits
  /** The whole window the call was budgeted for, tokens: Ollama's `num_ctx`. */
  readonly window?: number
  /** What the caller of an API asks for; it is passed on or refused. */
  readonly parameters?: CallParameters
  /** How much a model that can reason should. `parameters.reasoningEffort` wins. */
  readonly reasoning?: 'none' | 'low' | 'medium' | 'high'
  /** What the prompt must cost at least, tokens. A server that says it read fewer has truncated it. */
  readonly leastPromptTokens?: number
  /** The outline of the assembly, in words. Only `rehearsal` reads it: it is what it answers with. Never sent. */
  readonly account?: string
}

/** How much of one answer is heard, whatever its provider was asked for. */
export interface AnswerLimits {
  /** Of text, reasoning and the input of calls together. */
  readonly characters: number
  /** From the request to the last word, ms. */
  readonly milliseconds: number
}

/** What a call tells while it runs; `finish` is the last. */
export type ModelEvent =
  /** The request has left: digest of the very body, told before the first answer. Not sent by models without a wire. */
  | { readonly type: 'wire'; readonly sha256: string; readonly bytes: number; readonly url: string }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** A whole call. Input that is not JSON arrives as the string it was, and fails validation like any bad input. */
  | { readonly type: 'tool-call'; readonly toolCallId: string; readonly toolName: string; readonly input: unknown }
  /** The whole message that was said, with what the provider wants back in later calls (signatures of reasoning). */
  | {
      readonly type: 'finish'
      readonly reason: FinishReason
      /** Of `length`: which of Foreword's own bounds cut it. Absent where the model or its provider did. */
      readonly limit?: 'characters' | 'event' | 'time'
      readonly usage: ModelUsage
      readonly message: AssistantMessage
    }

/** Why the model stopped. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other'

/** Tokens as the provider reported them. `undefined`: it did not say. Never guess a number. */
export interface ModelUsage {
  /** All prompt tokens, cached ones included. */
  readonly promptTokens: number | undefined
  readonly cachedTokens: number | undefined
  readonly cacheWrittenTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly reasoningTokens: number | undefined
}
