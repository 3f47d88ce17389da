import { type CallFigures, callFigures, inNanos, type MadeCall, type Manifest } from '../context.ts'
import { checkedUsage, MOST_TOKENS, type Usage } from '../wire.ts'

/** One model call, as the ledger keeps it: enough to build the same request again, and to prove that it is the same. */
export interface CallRecord {
  readonly id: string
  /** Absent for a call that belongs to no session. */
  readonly session?: string
  readonly turn?: string
  /** `seq` of the last entry that the assembly could read. */
  readonly upTo?: number
  readonly time: string
  readonly model: string
  /** Name of the token that asked for a call outside every session. */
  readonly token?: string
  /**
   * `note`: it asks for a note on the conversation, and belongs to no answer. `foreign`: another program made it. Absent: it is a
   * step of its turn.
   */
  readonly kind?: 'note' | 'foreign'
  /** Of a call that another program made through this gateway. */
  readonly foreign?: ForeignFacts
  /** The whole input of the assembly besides the log; large texts as content hashes. */
  readonly input: unknown
  readonly manifest: Manifest
  /** SHA-256 of the request in canonical order. */
  readonly requestDigest: string
  readonly outcome?: CallOutcome
}

/** Whose call it is, and what for. */
export interface ForeignFacts {
  /** The program, such as `claude-code`. */
  readonly client: string
  readonly version?: string
  /** What it was for: `turn`, `sub-agent`, `compaction`, `title`, `count`, `quota`, `embedding` or `other`. */
  readonly kind: string
  /** The client's own ids of its session, of the one that started it, and of its turn. */
  readonly session?: string
  readonly parent?: string
  readonly turn?: string
  /** Turns of the conversation before those in the body, which were compacted or are kept by the provider. */
  readonly turnsBefore?: number
  /** The provider's id of the conversation that it keeps. */
  readonly conversation?: string
  /** The provider's id of a cache that was read before the body. */
  readonly cache?: string
  readonly retryOf?: string
  /** `traceparent` of the call (W3C Trace Context). */
  readonly trace?: string
  /** What a cut of ours made of it; absent where none was asked for. */
  readonly assembled?: {
    /**
     * `cut`: it left with less than its program sent. Otherwise it left as it came: `fits`, `too-large` even for a cut,
     * `kept-elsewhere`: its conversation is in no list, `window-unknown`: nobody says how
     * much its model can read, `failed`.
     */
    readonly state: 'cut' | 'fits' | 'too-large' | 'kept-elsewhere' | 'window-unknown' | 'failed'
    /** The program has edited its conversation, so that the cuts of earlier calls were forgotten. */
    readonly forgotten?: true
    readonly why?: string
  }
}

/** How a call of another program went. */
export interface ForeignEnd {
  /** `whole`, `left`, `broken`, `stopped` or `refused`. */
  readonly end: string
  /** Of the answer; absent where none began. */
  readonly status?: number
  /** `sha256:HASH` of what the answer said, as JSON. Absent where nothing came. */
  readonly answer?: string
  /** The provider's own id of the answer: a later call may go on from what the provider keeps under it. */
  readonly id?: string
}

/** What is known about a call only afterwards. */
export interface CallOutcome {
  /** SHA-256 and size of the body that was sent to the provider. */
  readonly wire?: {
    readonly sha256: string
    readonly bytes: number
    readonly url: string
    /** What was changed in the body because the server refused it otherwise: a field left out, renamed, or made smaller. */
    readonly changes?: Readonly<Record<string, string | number | null>>
    /** How often something of the conversation was sent in another form than the log has it, by what it was. */
    readonly corrections?: Readonly<Record<string, number>>
  }
  readonly usage?: Usage
  /** The usage is an estimate: the answer broke off before its provider reported it. */
  readonly usageEstimated?: true
  readonly finish?: string
  readonly warning?: CallWarning
  readonly error?: { readonly code: string; readonly message: string }
  readonly durationMs: number
  /** Until the first token. */
  readonly firstTokenMs?: number
  readonly foreign?: ForeignEnd
}

/**
 * What a call used, as its provider reported it; nothing where it did not leave, or was refused. `undefined`: not known. A count
 * that no call can have is not reported: older records may hold one.
 */
export function usedTokens(outcome: EndOfCall | undefined): CallOutcome['usage'] {
  const usage = outcome?.usage
  if (!usage) return outcome && wasRefused(outcome) ? NOTHING : undefined
  return Object.values(usage).some((count) => count > MOST_TOKENS) ? checkedUsage(usage) : usage
}

/**
 * What calls cost together, US dollars; `undefined` for none, and where one of them is not known. One that failed before its first
 * token, such as one that was made again after a refusal, costs nothing where its provider reports nothing.
 */
export function costTogether(
  calls: readonly { readonly record: Pick<CallRecord, 'outcome'>; readonly cost: number | undefined }[],
): number | undefined {
  let sum = 0
  for (const { record, cost } of calls) {
    const { error, firstTokenMs } = record.outcome ?? {}
    if (cost === undefined && (error === undefined || firstTokenMs !== undefined)) return undefined
    sum += cost ?? 0
  }
  return calls.length === 0 ? undefined : inNanos(sum)
}

/** What every surface shows of a call that was made, in its provider's tokens. `paid`: what it cost, where that is known. */
export function figuresOfCall({ manifest, outcome }: CallRecord, paid: MadeCall['paid']): CallFigures {
  return callFigures(manifest, { usage: usedTokens(outcome), paid })
}

type EndOfCall = Pick<CallOutcome, 'usage' | 'error' | 'wire' | 'foreign'>

/** Whether a call was answered by nothing but a refusal, of this gateway or of its provider. */
export function wasRefused({ usage, error, wire, foreign }: EndOfCall): boolean {
  if (usage !== undefined || error === undefined) return false
  return error.code === 'over-budget' || (foreign !== undefined && (wire === undefined || (foreign.status ?? 0) >= 400))
}

/** Usage of a call that nobody is paid for. */
export const NOTHING: Usage = {
  promptTokens: 0,
  cachedTokens: 0,
  cacheWrittenTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
}

/** A warning about a call: a code for programs and a sentence for people. */
export interface CallWarning {
  readonly code: string
  readonly message: string
}

/** The calls of models, as the ledger keeps them. */
export interface CallStore {
  /** `conflict` where a call with this id exists. */
  putCall(record: CallRecord): Promise<void>
  /** `not-found` where no call with this id exists. */
  finishCall(id: string, outcome: CallOutcome): Promise<void>
  /**
   * Calls the listener with the id of each call whose outcome this store writes, with `putCall`, `finishCall` or a `transaction`,
   * as soon as it is on disk and before the promise of the write resolves. Writes of another process are not reported. The
   * listener must not throw. Returns a function that stops it.
   */
  watchCalls(listener: CallListener): () => void
  call(id: string): Promise<CallRecord | undefined>
  calls(session: string, options?: CallsOptions): Promise<readonly CallRecord[]>
  /**
   * Calls of all sessions and of none, newest first; with `before` those that were made before the call of this id; with `beginning`
   * only those whose id begins with it, sorted by id. `not-found` where there is no call `before`.
   */
  findCalls(options: {
    limit: number
    before?: string | undefined
    beginning?: string | undefined
  }): Promise<readonly CallRecord[]>
  /** Calls of other programs whose answer has this id of its provider's, newest first. */
  callsAnswered(id: string): Promise<readonly CallRecord[]>
}

/** The id of a call whose outcome is known now. */
export type CallListener = (call: string) => void

/** `last`: the newest n, or of those before the call `before`. `after` and `limit`: the n calls that follow the one of this id. */
export interface CallsOptions {
  readonly last?: number
  readonly before?: string | undefined
  readonly after?: string
  readonly limit?: number
}
