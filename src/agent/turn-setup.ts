import type { RetryNotice } from '../capability.ts'
import { type Message, messageTokens, tokenx } from '../context.ts'
import type { CallOptions, Model, ModelRequest, ReasoningMetadata } from '../model.ts'
import type {
  ApprovalOutcome,
  ApprovalQuestion,
  AuditFacts,
  CallOutcome,
  CallWarning,
  Entry,
  EntryBody,
  PartialReason,
  CitationSource,
  ResultImage,
  TokenCounts,
  Usage,
} from '../session.ts'
import type { Clock } from '../platform.ts'
import { createToolbox, type Toolbox, type ToolResult } from '../tool.ts'
import type { RetryRule } from './retry-wait.ts'

/** What a turn needs to run. The first four are required; each of the others has a default (docs/guide/agent-loop.md). */
export interface TurnSetup {
  readonly turn: RunningTurn
  readonly model: Model
  /** Makes the request of one step and records its manifest. Throws `ContextOverflowError`. */
  assemble(step: Step): ModelCall | Promise<ModelCall>
  readonly journal: Journal
  readonly tools?: TurnTools
  readonly limits?: TurnLimits
  readonly output?: TurnOutput
  readonly clock: Clock
  /**
   * Asked before each model call leaves, also one that is made again. `granted`: what a person has allowed about it. Absent: every
   * call leaves.
   */
  holdCall?(call: ModelCall, granted?: BudgetApproval): Promise<CallHold>
  /** Counts what is under way: calls of one message run beside each other, and each may wait for a person. */
  readonly activity?: TurnActivity
  /** Hears which calls failed, and which succeeded while their provider is in trouble. */
  readonly health?: TurnHealth
  /**
   * Asked once no more can come of this model: its provider failed before a word of the answer, or the turn failed otherwise. Resolves
   * with what goes on with the turn, from what is in its log, or with another error for the same failure; `undefined`: neither.
   * Rejects with a `StoreError` alone. Absent: nothing goes on.
   */
  fallback?(error: unknown): Promise<TurnSetup | Error | undefined>
}

/** What becomes of the calls to providers. */
export interface TurnHealth {
  /** Providers whose last calls failed, by name. */
  readonly troubled: ReadonlyMap<string, unknown>
  /** A call to a model ended with this error, or well. */
  note(model: string, error?: unknown): void
}

/** Each resolves or rejects as its promise does. */
export interface TurnActivity {
  run<Value>(work: Promise<Value>): Promise<Value>
  rest<Value>(wait: Promise<Value>): Promise<Value>
}

/** Whether a call may leave. */
export type CallHold =
  /** It may. `settle` is called once it is over; where the process ends before, it is not. */
  | { readonly type: 'go'; settle(end: CallEnd): void }
  /** A person has to decide about it. */
  | {
      readonly type: 'wait'
      readonly request: ApprovalQuestion
      /** What decided that. */
      readonly rule: string
      /** Why it waits, for the person. */
      readonly sentence: string
      /** What an approval for more than this call does, for the person. */
      readonly raise: string
      /**
       * Resolves with the reason once the question needs no answer: the hook is asked again then. With `undefined` once `signal` is
       * aborted. Absent: a person decides alone.
       */
      room?(signal: AbortSignal): Promise<string | undefined>
    }
  | { readonly type: 'refuse'; readonly error: Error & { readonly code: string } }

export interface CallEnd {
  /** As far as it was reported. */
  readonly usage?: Usage | undefined
  readonly error?: unknown
  /** It did not leave after all. */
  readonly notMade?: boolean
}

/** A decision of a person about a call that waited. */
export interface BudgetApproval {
  readonly approval: string
  /** For this call alone; otherwise limits are raised. */
  readonly once: boolean
  readonly request: ApprovalQuestion
}

/** The turn to run, its entries so far, and the signal that ends it. */
export interface RunningTurn {
  /** Both are empty for a call outside every session. */
  readonly session: string
  readonly id: string
  /** Entries of this turn so far, the input first. */
  readonly entries: readonly Entry[]
  /** Aborted: the turn is cancelled. Aborted with `stopping`: it is left as it is for the next start. */
  readonly signal?: AbortSignal
}

/** The abort reason when the process is stopping and the turn should resume at the next start. */
export const stopping = 'stopping'

/** Where everything that happens in a turn is written before the next thing happens. */
export interface Journal {
  /** Writes to the session's log, and to the audit in the same write; resolves when it is on disk. */
  append(bodies: readonly EntryBody[], audit?: readonly AuditFacts[]): Promise<readonly Entry[]>
  /** Completes the record of a call and writes its entries. Absent: the entries are appended, and no record is kept. */
  finish?(call: string, outcome: CallOutcome, bodies: readonly EntryBody[]): Promise<readonly Entry[]>
  /** Keeps a text beside the log and returns its reference. Absent: no tool result is shortened. */
  keepContent?(text: string): Promise<string>
  /** Keeps an image of a tool result as a file. Absent: the model reads that it was left out. */
  keepImage?(image: { readonly name: string; readonly bytes: Uint8Array }): Promise<ResultImage>
  /** The tokens of a message in a history. Absent: counted with `tokenx`. */
  countTokens?(message: Message, partial?: PartialReason): Promise<TokenCounts>
}

/** What the model may call. */
export interface TurnTools {
  readonly toolbox: Toolbox
  /** Absent: calls that need a decision of a person are denied. */
  readonly approvals?: Approvals
  /** Numbers the documents that a tool found, and puts the numbers into its result (BEHAVIOURS §3.6). Absent: no numbers. */
  cite?(result: ToolResult): { readonly result: ToolResult; readonly sources: readonly CitationSource[] }
}

/** Asks a person. A model cannot reach it. */
export interface Approvals {
  newId(): string
  /** Whether a person has approved exactly this call for the whole session. */
  granted(digest: string): Promise<boolean>
  /** Whether a person has approved calls of this tool for the session, under this policy (`PlannedCall.grant`). Absent: nobody has. */
  grantedTool?(tool: string, grant: string): Promise<boolean>
  /** The decision about a question in the log; `undefined` once `signal` is aborted. */
  decision(approval: string, signal: AbortSignal): Promise<ApprovalOutcome | undefined>
  /**
   * Ends a question that needs no answer any more, and returns how it ended: by a person, if one was faster.
   * Absent: questions wait for a person alone.
   */
  withdraw?(approval: string, reason: string): Promise<ApprovalOutcome>
}

/** How much a turn may do. */
export interface TurnLimits {
  /** Model calls that one turn may make. 12 unless given. */
  readonly steps?: number
  /** When a call that failed before its first word is retried. After 1, 2 and 4 seconds unless given. */
  readonly retries?: RetryRule
  /** The most that the model reads of one tool result, characters. 24,000 unless given. */
  resultChars?(tool: string): number | Promise<number>
  /** The most that the model reads of all tool results of the turn, characters. 240,000 unless given. */
  readonly turnResultChars?: number
}

/** Where the model's words go besides the journal. */
export interface TurnOutput {
  /** Shows provisional output. Where it returns a promise, the next event is read once that resolves. */
  show?(delta: Delta): void | Promise<void>
  /** The documents that the numbers in an answer refer to. */
  citedSources?(text: string): Promise<readonly CitationSource[]>
}

/** The input of one assembly. */
export interface Step {
  /** The current turn so far, without partial messages. */
  readonly messages: readonly { readonly message: Message; readonly counted: TokenCounts }[]
  /** The model has to answer without calling a tool: the turn has no further step. */
  readonly last: boolean
  /** The previous call was too large: leave out more. */
  readonly deeper?: {
    readonly limit: number | undefined
    readonly sent: number | undefined
    /** The limit is one of tokens per minute, not of the model. */
    readonly perMinute?: true
    /** In the provider's words. */
    readonly said: string | undefined
  }
}

/** A call that is recorded and ready to be made. */
export interface ModelCall {
  /** Names it in the journal. */
  readonly call: string
  readonly request: ModelRequest
  /** Options of the call. The last step calls no tool, whatever they are. */
  readonly options?: Omit<CallOptions, 'signal'>
  /** For tools: the messages that the model reads, images by their ids; absent where that is unknown. */
  readonly seen?: readonly Message[]
  /** For tools: the room of the next call for their results, tokens; absent where that is unknown. */
  readonly roomTokens?: number
  /** A warning about the call, judged by the usage that its provider reported. */
  warningAbout?(usage: Usage): CallWarning | undefined
}

/** Provisional output of a running call: its words, or that it failed before the first word and is retried. */
export type Delta =
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly call: string; readonly text: string }
  | { readonly type: 'reasoning-end'; readonly call: string; readonly providerOptions: ReasoningMetadata }
  | RetryNotice

/** A turn that runs: made once from its setup, and handed whole to everything that has to do with it. */
export interface TurnRun extends Required<Omit<RunningTurn, 'entries'>> {
  /** Of this turn so far, the input first; what is written is added. */
  readonly entries: Entry[]
  readonly model: Model
  readonly assemble: TurnSetup['assemble']
  readonly journal: Required<Omit<Journal, 'keepContent'>> & Pick<Journal, 'keepContent'>
  readonly tools: Required<TurnTools>
  readonly limits: Required<TurnLimits>
  readonly output: Required<TurnOutput>
  readonly clock: Clock
  readonly holdCall: NonNullable<TurnSetup['holdCall']>
  readonly activity: TurnActivity
  readonly health: TurnHealth | undefined
  readonly fallback: TurnSetup['fallback']
  /** Questions about model calls whose answers were passed on. */
  readonly answered: Set<string>
}

export function beginTurn(setup: TurnSetup): TurnRun {
  const { turn, model, journal, tools, limits, output, clock } = setup
  const { session, id, entries, signal = NEVER } = turn
  return {
    session,
    id,
    entries: [...entries],
    signal,
    model,
    assemble: setup.assemble.bind(setup),
    journal: {
      append: journal.append.bind(journal),
      finish:
        journal.finish?.bind(journal) ??
        (async (_call, _outcome, bodies) => (bodies.length > 0 ? journal.append(bodies) : [])),
      countTokens: journal.countTokens?.bind(journal) ?? (async (message) => countTokens(message)),
      keepImage: journal.keepImage?.bind(journal) ?? (() => Promise.reject(new Error('no files are kept here'))),
      ...(journal.keepContent ? { keepContent: journal.keepContent.bind(journal) } : {}),
    },
    tools: {
      toolbox: tools?.toolbox ?? createToolbox([]),
      approvals: tools?.approvals ?? denyAll,
      cite: tools?.cite?.bind(tools) ?? ((result) => ({ result, sources: [] })),
    },
    limits: {
      steps: limits?.steps ?? 12,
      retries: limits?.retries ?? { delaysMs: [1_000, 2_000, 4_000], forMs: 60_000 },
      resultChars: limits?.resultChars?.bind(limits) ?? (() => 24_000),
      turnResultChars: limits?.turnResultChars ?? 240_000,
    },
    output: {
      show: output?.show?.bind(output) ?? (() => undefined),
      citedSources: output?.citedSources?.bind(output) ?? (async () => []),
    },
    clock,
    activity: setup.activity ?? { run: (work) => work, rest: (wait) => wait },
    holdCall: setup.holdCall?.bind(setup) ?? (async () => FREE),
    health: setup.health,
    fallback: setup.fallback?.bind(setup),
    answered: new Set(),
  }
}

/** Writes what has happened to the log, and adds it to the turn. */
export async function write(turn: TurnRun, bodies: readonly EntryBody[], audit?: readonly AuditFacts[]): Promise<void> {
  turn.entries.push(...(await turn.journal.append(bodies, audit)))
}

const FREE: CallHold = { type: 'go', settle() {} }
const NEVER = new AbortController().signal

function countTokens(message: Message): TokenCounts {
  const full = messageTokens(tokenx, message)
  return { counter: `${tokenx.id}@${tokenx.version}`, full, least: full }
}

/** Denies every call that needs a decision of a person. */
const denyAll: Approvals = {
  newId: () => 'approval',
  granted: async () => false,
  decision: async () => ({ type: 'deny', reason: 'no person can be asked in this turn' }),
}
