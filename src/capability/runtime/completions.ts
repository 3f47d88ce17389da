import type { AnyMessage, ToolDefinition } from '../../context.ts'
import type { CallParameters, FinishReason, ReasoningMetadata } from '../../model.ts'
import type { Usage } from '../../session.ts'

/** What happens to a conversation outside every session that does not fit: refused as a whole, or cut where it is oldest. */
export type CompletionCutChoice = 'none' | 'auto'

/** A conversation that its caller keeps. */
export interface CompletionInput {
  /** In their order, system messages among them. */
  readonly messages: readonly AnyMessage[]
  /** The caller's tools: calls to them are handed back, never run here. */
  readonly tools?: readonly ToolDefinition[]
  readonly toolChoice?: 'auto' | 'none'
  readonly model?: string
  /** Room for the answer, tokens. Default: the configured reserve. */
  readonly maxOutputTokens?: number
  /**
   * `kept`: a conversation that leaves less than `maxOutputTokens` does not fit. `left`: then the answer may have what it leaves,
   * but not less than the configured reserve, and never more than the model can write. `kept` unless given.
   */
  readonly answerRoom?: 'kept' | 'left'
  readonly parameters?: CallParameters
  /**
   * What to do with a conversation that does not fit. `none`: reject it with `context-overflow`. `auto`: leave out or
   * shorten what is oldest, and report it in `call-start`. Default: the setting `context.completions.cut`.
   */
  readonly cut?: CompletionCutChoice
  /**
   * Whether the request begins with the layers of this home. Default: the setting `context.completions.prompt`. Messages
   * that are neither extended nor cut reach the provider unchanged.
   */
  readonly prompt?: boolean
  /** Sessions whose words the messages contain: what is recorded of the messages is removed with them. */
  readonly holds?: readonly string[]
  /** The name of the token that it came with, for its budgets; absent: the owner's. */
  readonly token?: string
  readonly signal?: AbortSignal
}

/** How large the prompt of a call would be. */
export interface CompletionSize {
  readonly model: string
  /** As the provider is expected to count them, from what it reported of earlier calls. */
  readonly tokens: number
}

/** What was taken out of a conversation so that it fits. */
export interface CompletionCut {
  /** Of the caller, system messages among them. */
  readonly messages: number
  readonly messagesLeftOut: number
  /** Messages with tool results that were shortened. */
  readonly resultsShortened: number
  /** By the counter of the account. */
  readonly tokensLeftOut: number
}

/** What an answer tells while it comes; `finish` is the last. */
export type CompletionEvent =
  | { readonly type: 'call-start'; readonly call: string; readonly model: string; readonly cut?: CompletionCut }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** The reasoning before it is complete, and its provider needs this back with it: a signature, or the encrypted text. */
  | { readonly type: 'reasoning-end'; readonly providerOptions: ReasoningMetadata }
  | { readonly type: 'tool-call'; readonly toolCallId: string; readonly toolName: string; readonly input: unknown }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly usage: Usage }
