import type { RetryNotice } from '../capability.ts'
import type { Message } from '../context.ts'
import type { AnswerLimits, CallParameters, Model, ModelRequest } from '../model.ts'
import type {
  ApprovalDecision,
  AuditFacts,
  CallOutcome,
  CallWarning,
  Entry,
  EntryBody,
  PartialReason,
  Source,
  TokenCounts,
  Usage,
} from '../session.ts'
import type { Toolbox, ToolResult } from '../tool.ts'
import type { RetryRule } from './retry-wait.ts'

/** Everything one turn needs from the world. */
export interface TurnSetup extends CallSetup {
  readonly session: string
  /** Entries of this turn so far, the input first. */
  readonly entries: readonly Entry[]
  readonly toolbox: Toolbox
  /** Model calls that one turn may make. */
  readonly maxSteps: number
  /** Writes to the session's log, and to the audit in the same write; resolves when it is on disk. */
  append(bodies: readonly EntryBody[], audit?: readonly AuditFacts[]): Promise<readonly Entry[]>
  /** Keeps a text beside the log and answers how the log refers to it. */
  keepContent(text: string): Promise<string>
  /** The most of one result of a tool that the model is shown, characters. */
  maxResultChars(tool: string): Promise<number>
  /** What the next call has room for besides what must stand, tokens; `undefined` before there was a call. */
  roomTokens?(): number | undefined
  /** The most of all results of this turn that the model is shown, characters. */
  readonly maxTurnResultChars: number
  /** What the model had in front of it when it answered last; `undefined` before it did. */
  seen(): readonly Message[] | undefined
  /** Gives numbers to what a tool found, and words its result with them (BEHAVIOURS §3.6). */
  cite(result: ToolResult): { readonly result: ToolResult; readonly sources: readonly Source[] }
  readonly approvals: Approvals
}

/** What a question to a model needs: one of a turn, or one outside every session. */
export interface CallSetup {
  /** Empty for a call outside every session. */
  readonly turn: string
  readonly model: Model
  /** How much a model that can reason should; absent: as its provider has it. */
  readonly reasoning?: 'none' | 'low' | 'medium' | 'high'
  /** What the caller of an API asks of each call. */
  readonly parameters?: CallParameters
  /** When a call is tried again that failed before its first word. */
  readonly retries: RetryRule
  /** Assembles one call and writes its account down. Throws `ContextOverflowError`. */
  prepare(step: Step): Promise<PreparedCall>
  /** What the numbers in an answer stand for. */
  sourcesOf(text: string): Promise<readonly Source[]>
  /** Completes the account of a call, together with what it led to. */
  finish(call: string, outcome: CallOutcome, bodies: readonly EntryBody[]): Promise<readonly Entry[]>
  /** What is to be said of a call, by what its provider reported. */
  warningAbout(usage: Usage): CallWarning | undefined
  tokensOf(message: Message, partial?: PartialReason): Promise<TokenCounts>
  /** Shows what is so for the time being to anyone who watches. A promise: more is asked for once it resolves. */
  show(delta: Delta): void | Promise<void>
  readonly signal: AbortSignal
  /** Monotonic, ms. */
  now(): number
  /** Resolves after so many ms, or as soon as the signal says so. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** The way to a person. A model has none to it. */
export interface Approvals {
  newId(): string
  /** Whether a person has approved exactly this call for the whole session. */
  granted(digest: string): Promise<boolean>
  /** What a person decides about a question that stands in the log; `undefined` once `signal` is aborted. */
  decision(approval: string, signal: AbortSignal): Promise<ApprovalDecision | undefined>
}

/** What is asked of one assembly. */
export interface Step {
  /** The current turn so far, partial messages left out. */
  readonly messages: readonly { readonly message: Message; readonly counted: TokenCounts }[]
  /** The model has to answer without calling a tool. */
  readonly last: boolean
  /** The call before this one did not fit: leave out more. */
  readonly deeper?: {
    readonly limit: number | undefined
    readonly sent: number | undefined
    /** In the provider's words. */
    readonly said: string | undefined
  }
}

/** A call that is on record and ready to be made. */
export interface PreparedCall {
  readonly call: string
  readonly request: ModelRequest
  readonly toolChoice: 'auto' | 'none'
  /** Tokens: the whole window, and room for the answer. */
  readonly window: number
  readonly reserve: number
  readonly limits: AnswerLimits
  /** What the request must cost at least, tokens. */
  readonly leastPromptTokens: number
  /** The outline of the account. */
  readonly account: string
}

/** What a running call tells for the time being: its words, or that it failed before the first and is tried again. */
export type Delta = WordsDelta | RetryNotice

export interface WordsDelta {
  readonly type: 'text-delta' | 'reasoning-delta'
  readonly call: string
  readonly text: string
}
