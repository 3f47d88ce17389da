import type { ForeignRequestHead } from '../../foreign.ts'
import type { ProviderServer } from '../../model.ts'
import type { Caller } from '../token-scope.ts'

/** Calls that other programs make through this gateway: where they go, whether they may leave, and what is kept of them. */
export interface ForeignCallService {
  /** The server of a provider of the configuration; `undefined` where there is none of this name. */
  server(provider: string): ProviderServer | undefined
  /** Receives a body of so many bytes. */
  receive(call: Pick<ForeignCallStart, 'provider' | 'head' | 'caller'>, bytes: number): IncomingBody
  /** Begins the record of a call. Nothing that it returns ever throws or rejects: a fault of ours stops no call. */
  begin(start: ForeignCallStart): OpenForeignCall
  /** What was recorded since the start of this process, and what was not. */
  state(): ForeignCallState
  /** Resolves when what has ended so far is on record. Never rejects. */
  idle(): Promise<void> | undefined
}

/** A body on its way in. */
export interface IncomingBody {
  push(part: Uint8Array): void
  /** The whole of it. */
  end(): Uint8Array
  /** To be called when nobody reads it any more: the next body of its conversation is written over it. */
  release(): void
}

/** A call as it came, before anything of it has left. */
export interface ForeignCallStart {
  readonly provider: string
  /** Without the credentials of the caller. */
  readonly head: ForeignRequestHead
  /** The whole body, as it leaves: with whatever encoding it has. */
  readonly body: Uint8Array
  /** The same without its encoding; `undefined` where that is unknown or not what it says, and nothing in it can be read. */
  readonly plain: Uint8Array | undefined
  readonly caller: Caller
  /** What happens to a call that could pass a budget. */
  readonly overBudget: OverBudgetRule
  /** Whether its conversation is cut where it does not fit. Otherwise not a byte of it is changed. */
  readonly assemble?: boolean
  /** How a body with a secret of this gateway is handled. */
  readonly secrets: 'refuse' | 'warn'
  /** Whether bytes contain a token of this gateway: a body with one is refused always. Without one, by its name. */
  holdsToken?(bytes: Uint8Array): boolean
}

export interface EmbeddingsCaller {
  readonly caller: Caller
  /** As its `user-agent` says. */
  readonly program?: string
  /** Aborted where it has left. */
  readonly signal: AbortSignal
}

/** `wait`: until the budget has room for it, so long, ms, and then it is refused. */
export type OverBudgetRule = { readonly type: 'refuse' } | { readonly type: 'wait'; readonly milliseconds: number }

/** One call between its beginning and its end. */
export interface OpenForeignCall {
  readonly id: string
  /**
   * Whether it may leave. Until it may it waits at most as long as its rule says; an aborted `signal` ends the wait with a refusal.
   */
  admit(signal: AbortSignal): Promise<Admission>
  /** Aborted where the answer has to be stopped, since the call has reached a limit. */
  readonly stop: AbortSignal
  /** The request leaves for this address, without its query, once this resolves: that it does is on disk by then. */
  sent(url: string): Promise<void>
  /** The answer has begun. `headers`: in lower case. */
  answered(status: number, headers: Readonly<Record<string, string | undefined>>): void
  /** A part of the answer, after it was passed on. */
  received(bytes: Uint8Array): void
  /** It is over, in whatever way. What is kept of it is written afterwards. The first end counts. */
  end(how: ForeignCallEnd): void
  /** Resolves once it is on record, or cannot be: its body is held no more. Never rejects. */
  readonly over: Promise<void>
}

export type Admission =
  /** `body`: leaves in the place of the one that came, without an encoding. */
  | { readonly type: 'go'; readonly body?: Uint8Array }
  | {
      readonly type: 'refuse'
      readonly code: 'over-budget' | 'secret-in-body'
      readonly message: string
      readonly hint?: string
    }

/**
 * `whole`: the answer came to its end. `left`: the caller went away. `broken`: the provider broke off, or could not be reached.
 * `stopped`: at a limit. `refused`: it never left.
 */
export interface ForeignCallEnd {
  readonly type: 'whole' | 'left' | 'broken' | 'stopped' | 'refused'
  readonly message?: string
}

export interface ForeignCallState {
  readonly open: number
  readonly recorded: number
  /** Calls that went on and are not on record, for a fault of ours. */
  readonly lost: number
  readonly lastFault?: string
}
