import type { RetryNotice } from '../capability.ts'
import { type Message, messageTokens, tokenx } from '../context.ts'
import type { CallOptions, Model, ModelRequest } from '../model.ts'
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
import { sleep } from '../platform.ts'
import { createToolbox, type Toolbox, type ToolResult } from '../tool.ts'
import type { RetryRule } from './retry-wait.ts'

/** What a turn is run with. The first four are needed; each of the others has a default (docs/guide/agent-loop.md). */
export interface TurnSetup {
  readonly turn: RunningTurn
  readonly model: Model
  /** Makes the request of one step and writes its account down. Throws `ContextOverflowError`. */
  assemble(step: Step): PreparedCall | Promise<PreparedCall>
  readonly journal: Journal
  readonly tools?: TurnTools
  readonly limits?: TurnLimits
  readonly output?: TurnOutput
  readonly clock?: TurnClock
}

/** Which turn is run, what it has led to so far, and what ends it. */
export interface RunningTurn {
  /** Both are empty for a call outside every session. */
  readonly session: string
  readonly id: string
  /** Entries of this turn so far, the input first. */
  readonly entries: readonly Entry[]
  /** Aborted: the turn is cancelled. Aborted with `stopping`: it is left as it is for the next start. */
  readonly signal?: AbortSignal
}

/** The reason to abort a turn with when the process is going down and the turn is to go on at the next start. */
export const stopping = 'stopping'

/** Where everything that happens in a turn is written before the next thing does. */
export interface Journal {
  /** Writes to the session's log, and to the audit in the same write; resolves when it is on disk. */
  append(bodies: readonly EntryBody[], audit?: readonly AuditFacts[]): Promise<readonly Entry[]>
  /** Completes the account of a call, together with what it led to. Absent: the entries are appended, and no account is kept. */
  finish?(call: string, outcome: CallOutcome, bodies: readonly EntryBody[]): Promise<readonly Entry[]>
  /** Keeps a text beside the log and answers how the log refers to it. Absent: no result of a tool is shortened. */
  keepContent?(text: string): Promise<string>
  /** What a message costs in a history. Absent: counted by `tokenx`. */
  tokensOf?(message: Message, partial?: PartialReason): Promise<TokenCounts>
}

/** What the model may call. */
export interface TurnTools {
  readonly toolbox: Toolbox
  /** Absent: a call that a person has to decide about is denied. */
  readonly approvals?: Approvals
  /** Gives numbers to what a tool found, and words its result with them (BEHAVIOURS §3.6). Absent: nothing has numbers. */
  cite?(result: ToolResult): CitedResult
}

export interface CitedResult {
  readonly result: ToolResult
  readonly sources: readonly Source[]
}

/** The way to a person. A model has none to it. */
export interface Approvals {
  newId(): string
  /** Whether a person has approved exactly this call for the whole session. */
  granted(digest: string): Promise<boolean>
  /** What a person decides about a question that stands in the log; `undefined` once `signal` is aborted. */
  decision(approval: string, signal: AbortSignal): Promise<ApprovalDecision | undefined>
}

/** How much a turn may do. */
export interface TurnLimits {
  /** Model calls that one turn may make. 12 unless given. */
  readonly steps?: number
  /** When a call is made again that failed before its first word. After 1, 2 and 4 seconds unless given. */
  readonly retries?: RetryRule
  /** The most of one result of a tool that the model is shown, characters. 24,000 unless given. */
  resultChars?(tool: string): number | Promise<number>
  /** The most of all results of this turn that the model is shown, characters. 240,000 unless given. */
  readonly turnResultChars?: number
}

/** What becomes of the model's words besides the journal. */
export interface TurnOutput {
  /** Shows what is so for the time being to anyone who watches. A promise: more is asked for once it resolves. */
  show?(delta: Delta): void | Promise<void>
  /** What the numbers in an answer stand for. */
  sourcesOf?(text: string): Promise<readonly Source[]>
}

/** Time as an argument. */
export interface TurnClock {
  /** Monotonic, ms. */
  now(): number
  /** Resolves after so many ms, or as soon as the signal says so. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** What is asked of one assembly. */
export interface Step {
  /** The current turn so far, partial messages left out. */
  readonly messages: readonly { readonly message: Message; readonly counted: TokenCounts }[]
  /** The model has to answer without calling a tool: the turn has no step left. */
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
  /** Names it in the journal. */
  readonly call: string
  readonly request: ModelRequest
  /** How it is made. A last step calls no tool, whatever stands here. */
  readonly options?: Omit<CallOptions, 'signal'>
  /** For tools: the messages that the model has in front of it, images by their ids; absent where nobody knows. */
  readonly seen?: readonly Message[]
  /** For tools: what the next call has room for besides what must stand, tokens; absent where nobody knows. */
  readonly roomTokens?: number
  /** What is to be said of the call, by what its provider reported. */
  warningAbout?(usage: Usage): CallWarning | undefined
}

/** What a running call tells for the time being: its words, or that it failed before the first and is tried again. */
export type Delta = WordsDelta | RetryNotice

export interface WordsDelta {
  readonly type: 'text-delta' | 'reasoning-delta'
  readonly call: string
  readonly text: string
}

/** A setup in which nothing is left open. */
export interface TurnContext {
  readonly turn: Required<RunningTurn>
  readonly model: Model
  readonly assemble: TurnSetup['assemble']
  readonly journal: Required<Omit<Journal, 'keepContent'>> & Pick<Journal, 'keepContent'>
  readonly tools: Required<TurnTools>
  readonly limits: Required<TurnLimits>
  readonly output: Required<TurnOutput>
  readonly clock: TurnClock
}

/** Fills in what a setup leaves open. */
export function turnContext(setup: TurnSetup): TurnContext {
  const { turn, model, journal, tools, limits, output, clock } = setup
  return {
    turn: { ...turn, signal: turn.signal ?? NEVER },
    model,
    assemble: (step) => setup.assemble(step),
    journal: {
      append: (bodies, audit) => journal.append(bodies, audit),
      finish: (call, outcome, bodies) => {
        if (journal.finish) return journal.finish(call, outcome, bodies)
        return bodies.length > 0 ? journal.append(bodies) : Promise.resolve([])
      },
      tokensOf: (message, partial) => journal.tokensOf?.(message, partial) ?? Promise.resolve(countTokens(message)),
      ...(journal.keepContent ? { keepContent: (text: string) => journal.keepContent!(text) } : {}),
    },
    tools: {
      toolbox: tools?.toolbox ?? createToolbox([]),
      approvals: tools?.approvals ?? denyAll,
      cite: (result) => tools?.cite?.(result) ?? { result, sources: [] },
    },
    limits: {
      steps: limits?.steps ?? 12,
      retries: limits?.retries ?? { delaysMs: [1_000, 2_000, 4_000], forMs: 60_000 },
      resultChars: (tool) => limits?.resultChars?.(tool) ?? 24_000,
      turnResultChars: limits?.turnResultChars ?? 240_000,
    },
    output: {
      show: (delta) => output?.show?.(delta),
      sourcesOf: (text) => output?.sourcesOf?.(text) ?? Promise.resolve([]),
    },
    clock: clock ?? { now: () => performance.now(), sleep },
  }
}

const NEVER = new AbortController().signal

function countTokens(message: Message): TokenCounts {
  const full = messageTokens(tokenx, message)
  return { counter: `${tokenx.id}@${tokenx.version}`, full, least: full }
}

/** Denies what a person would have to decide about. */
const denyAll: Approvals = {
  newId: () => 'approval',
  granted: async () => false,
  decision: async () => ({ type: 'deny', reason: 'no person can be asked in this turn' }),
}
