import type { Binding, CallOutcome, CallRecord, Entry, EntryBody } from './entry.ts'

/**
 * Where sessions live. Every backend runs the case suite of `foreword/testing`.
 *
 * A promise that resolves means: it is on disk and survives `kill -9` and power loss. What one `append` writes appears
 * whole or not at all. Reading never blocks writing.
 */
export interface SessionStore {
  /** Writes entries in order and gives them their `seq`. Creates the session when the first entry is `session-start`. */
  append(session: string, bodies: readonly EntryBody[], time: string): Promise<readonly Entry[]>

  /**
   * Entries of one session, ascending. `after` and `upTo` are `seq` bounds (exclusive, inclusive); `types` filters;
   * `last` gives only the newest n of what matches.
   */
  entries(session: string, options?: EntriesOptions): Promise<readonly Entry[]>

  /** The `input` entry that was admitted with this key, if any. */
  inputByKey(session: string, idempotencyKey: string): Promise<Entry | undefined>

  /**
   * Turns of one session from the newest backwards until the sum of `leastTokens` passes `limit` (that turn is still
   * given), or until `notBefore`. Costs what it returns, however long the session is. Ascending in the answer.
   */
  recentTurns(session: string, options: RecentTurnsOptions): Promise<RecentTurns>

  /** Turns without a `turn-end`, oldest first, over all sessions. */
  unfinishedTurns(): Promise<readonly TurnRow[]>
  turn(session: string, turn: string): Promise<TurnRow | undefined>
  /** Newest first. */
  turns(session: string, options?: { limit?: number; before?: number }): Promise<readonly TurnRow[]>

  /** Newest activity first. */
  sessions(options?: { limit?: number; offset?: number }): Promise<readonly SessionRow[]>
  session(id: string): Promise<SessionRow | undefined>
  /** Removes a session with its entries, turns, calls and binding. Answers whether there was one. */
  deleteSession(id: string): Promise<boolean>

  /** Binds a conversation to a session and frees both from earlier bindings. */
  bind(binding: Binding, session: string): Promise<void>
  bound(binding: Binding): Promise<string | undefined>

  /** Stores a text under its SHA-256 (lowercase hexadecimal) and answers that hash. The same text is stored once. */
  putContent(text: string): Promise<string>
  content(hash: string): Promise<string | undefined>

  putCall(record: CallRecord): Promise<void>
  finishCall(id: string, outcome: CallOutcome): Promise<void>
  call(id: string): Promise<CallRecord | undefined>
  /** Calls of a session in the order they were made. */
  calls(session: string, options?: { last?: number }): Promise<readonly CallRecord[]>

  /** Small named values: calibration, settings that the runtime learned. JSON. */
  putValue(key: string, value: unknown): Promise<void>
  value(key: string): Promise<unknown>

  /** Waits for everything that was accepted, then closes. */
  close(): Promise<void>
}

export interface EntriesOptions {
  readonly after?: number
  readonly upTo?: number
  readonly types?: readonly Entry['type'][]
  readonly turn?: string
  readonly last?: number
}

export interface RecentTurnsOptions {
  /** In stored tokens. */
  readonly limit: number
  /** Stop at this turn (it is still given). */
  readonly notBefore?: string
  /** Read the log as it was at this `seq`. */
  readonly upTo?: number
  /** Turns to leave out, such as the current one. */
  readonly except?: string
}

export interface RecentTurns {
  readonly turns: readonly { readonly row: TurnRow; readonly entries: readonly Entry[] }[]
  /** Settled turns that stand before the ones given, and their tokens. */
  readonly earlier: { readonly turns: number; readonly tokens: number }
}

/** A projection of the log: one line for each turn. */
export interface TurnRow {
  readonly session: string
  readonly turn: string
  /** 1, 2, 3 … within the session. */
  readonly ordinal: number
  readonly firstSeq: number
  readonly lastSeq: number
  readonly state: 'queued' | 'running' | 'completed' | 'cancelled' | 'failed'
  readonly inputTime: string
  /** Sum of `tokens.full` over its input and messages. */
  readonly tokens: number
  /** Sum of `tokens.least`. */
  readonly leastTokens: number
  /** Sum of `tokens` over all turns before this one. */
  readonly tokensBefore: number
}

export interface SessionRow {
  readonly id: string
  readonly title: string | undefined
  readonly binding: Binding | undefined
  readonly created: string
  readonly updated: string
  readonly turns: number
  readonly entries: number
  /** Chosen with `/model`; `undefined` follows the configuration. */
  readonly model: string | undefined
}
