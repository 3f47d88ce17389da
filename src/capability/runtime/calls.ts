import type { AnyMessage, Manifest, ToolDefinition } from '../../context.ts'
import type { CallParameters, FinishReason } from '../../model.ts'
import type { CallRecord, Usage } from '../../session.ts'

/** A request in canonical order. */
export interface RequestView {
  readonly tools: readonly ToolDefinition[]
  readonly system?: string
  readonly messages: readonly AnyMessage[]
}

/** A call that is not made. What is not named is the session's, or that of a new one. */
export interface PreviewOptions {
  readonly session?: string
  readonly input?: string
  readonly model?: string
  readonly system?: string
  readonly choices?: Readonly<Record<string, string>>
  /** Ids of files that come with the message, as in `SubmitInput`. Those that are still being read are waited for. */
  readonly attachments?: readonly string[]
}

/** The next call as it would be made now. */
export interface Preview {
  readonly model: string
  readonly request: RequestView
  readonly manifest: Manifest
}

/** An earlier call, built again. */
export interface RebuiltRequest {
  readonly call: CallRecord
  readonly request: RequestView
  readonly digest: string
  readonly identical: boolean
  /** The body that left, made again. Absent where none left. */
  readonly wire?: WireProof
}

/** What became of making the body of an earlier call again. Digests are SHA-256. */
export type WireProof =
  | { readonly state: 'identical'; readonly expected: string; readonly got: string }
  | { readonly state: 'different'; readonly expected: string; readonly got: string }
  /** It cannot be made now: another version of Foreword recorded the call, its model is out of reach, an image is gone. */
  | { readonly state: 'unknown'; readonly expected: string; readonly why: string }

/** All calls of a session, built again. */
export interface Replay {
  readonly session: string
  readonly calls: number
  readonly identical: number
  readonly different: readonly ReplayDifference[]
  /** The bodies that left for a provider, made again. Absent where none left. */
  readonly wires?: {
    readonly identical: number
    readonly different: readonly { readonly call: string; readonly expected: string; readonly got: string }[]
    readonly unknown: readonly { readonly call: string; readonly why: string }[]
  }
}

/**
 * A call that is not rebuilt as it was. `problem` is the reason where one is known: a content is gone (then `got` is empty),
 * or an earlier version of the assembly rules wrote the call.
 */
export interface ReplayDifference {
  readonly call: string
  readonly expected: string
  readonly got: string
  readonly problem?: string
}

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
