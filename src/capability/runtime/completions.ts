import type { AnyMessage, ToolDefinition } from '../../context.ts'
import type { CallParameters, FinishReason } from '../../model.ts'
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
  /** Room for the answer; what the configuration reserves unless given. */
  readonly maxOutputTokens?: number
  readonly parameters?: CallParameters
  /**
   * What becomes of a conversation that does not fit. `none`: it is refused with `context-overflow`. `auto`: what is oldest
   * is left out or shortened, and `call-start` says what. As `context.completions.cut` has it unless given.
   */
  readonly cut?: CompletionCutChoice
  /**
   * Whether the layers of this home (prompt, date, instructions, skills) are added in front. As `context.completions.prompt`
   * has it unless given. What is neither added to nor cut reaches the provider exactly as it was given.
   */
  readonly prompt?: boolean
  /** Sessions whose words the messages hold: what is recorded of the messages is removed with them. */
  readonly holds?: readonly string[]
  readonly signal?: AbortSignal
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
  | { readonly type: 'tool-call'; readonly toolCallId: string; readonly toolName: string; readonly input: unknown }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly usage: Usage }
