import type { Clock } from '../platform.ts'
import type { Binding, Entry, EntryBody, MessageBody } from './entry.ts'
import type { SessionFilter, SessionFolder, SessionActivity } from './session-filter.ts'
import type { TurnOutcome } from './turn-outcome.ts'

/** The log of entries and its projections: turns, sessions and their conversations. */
export interface LogStore {
  /** By which long reads let other work run. */
  readonly clock: Clock
  /**
   * Writes entries in order and gives them their `seq`. Creates the session when the first entry is `session-start`.
   *
   * @throws StoreError `conflict` when the session, the turn or the idempotency key of an input was used before, or when
   * a settled turn would continue (`turn-start`, `message`, `approval-request`, `approval`, `turn-end`), or the message of a
   * turn that does not wait is edited (`edit`), or a turn that has
   * not ended, was already undone or is followed by another is undone (`head`), or the conversation would go on after an
   * undone turn; `not-found` for an unknown session or turn.
   */
  append(session: string, bodies: readonly EntryBody[], time: string): Promise<readonly Entry[]>

  /**
   * Calls the listener with the entries that this store writes, with `append` or within a `transaction`, as soon as they
   * are on disk: in the order of the commits, so those of one session in the order of `seq`, and before the promise of the
   * write resolves. Writes of another process are not reported. The listener must not throw. Returns a function that stops it.
   */
  watch(listener: EntryListener): () => void

  /**
   * Entries of one session, ascending. `after` and `upTo` are `seq` bounds (exclusive, inclusive); `types` filters;
   * `last` gives only the newest n matches, `limit` the oldest n: with `after` it reads a long log in pages.
   * With `types` it reads until it has found them: search for rare types within bounds.
   */
  entries(session: string, options?: EntriesOptions): Promise<readonly Entry[]>

  /** The `input` entry that was admitted with this key, if any. */
  inputByKey(session: string, idempotencyKey: string): Promise<Entry | undefined>

  /**
   * Turns of one branch of a session, each followed by the next, from the head or the turn that is being answered backwards until the sum of `leastTokens` passes `limit` (that turn is still
   * given), or until `notBefore`. Costs what it returns, however long the session is. Ascending in the answer. Turns that
   * still wait in the queue are left out. Of each turn only the bodies of its `input` and `message` entries are given, since a
   * long history is read at every step.
   */
  recentTurns(session: string, options: RecentTurnsOptions): Promise<RecentTurns>

  /** Turns without a `turn-end`, oldest first, over all sessions. */
  unfinishedTurns(): Promise<readonly TurnRow[]>
  turn(session: string, turn: string): Promise<TurnRow | undefined>
  /** Newest first. */
  turns(session: string, options?: { limit?: number; before?: number }): Promise<readonly TurnRow[]>

  /** Newest activity first; with `beginning` only those whose id begins with it, sorted by id: an exact match comes first. */
  sessions(options?: SessionsOptions): Promise<readonly SessionRow[]>
  sessionFolders(): Promise<readonly SessionFolder[]>
  session(id: string): Promise<SessionRow | undefined>
  /**
   * Removes a session with its entries, turns, calls, binding and the rows of its files, and the contents with words of it
   * (`putContent`). Returns whether it existed. Other contents and the bytes of files stay: other sessions may use them.
   * Nobody sees the session any more once the removal has begun; a long one is removed in parts, between which other writes come.
   */
  deleteSession(id: string): Promise<boolean>
  /**
   * Removes the contents with words of a session (`putContent`) and refuses new ones. The session itself stays. Returns how
   * many were removed. `not-found` for an unknown session.
   */
  withdrawSession(id: string): Promise<number>

  /** Binds a conversation to a session and frees both from earlier bindings. `not-found` for an unknown session. */
  bind(binding: Binding, session: string): Promise<void>
  bound(binding: Binding): Promise<string | undefined>
}

/** Entries of one session that were written together, in the order of `seq`. */
export type EntryListener = (entries: readonly Entry[]) => void

/** A page of a list of sessions. */
export interface SessionsOptions extends SessionFilter {
  readonly limit?: number
  readonly offset?: number
  /** Those that come after this one, however many are before it; not with `beginning`. */
  readonly after?: Pick<SessionRow, 'updated' | 'id'> | undefined
  readonly beginning?: string | undefined
}

/** Filters for the entries of a session. Without any: all entries, oldest first. */
export interface EntriesOptions {
  readonly after?: number
  readonly upTo?: number
  readonly types?: readonly Entry['type'][]
  readonly turn?: string
  readonly last?: number
  readonly limit?: number
}

/** How far back turns are read, and as of when. */
export interface RecentTurnsOptions {
  /** In stored tokens. */
  readonly limit: number
  /** The turn to stop at; it is still given, unless it is `except`: then no turn is given, and all are counted. */
  readonly notBefore?: string
  /**
   * Read the log exactly as it was at this `seq`: a turn that continued later is given with the entries and the state that
   * it had then.
   */
  readonly upTo?: number
  /** Turns whose messages the reader still has: they are given without messages. */
  readonly known?: (turn: string) => boolean
  /** The turn that is being answered. Its history are the turns that lead to it; without it, those that lead to the head. */
  readonly except?: string
}

/** The newest turns of a branch, the oldest of them first, and a count of those before. */
export interface RecentTurns {
  readonly turns: readonly { readonly row: TurnRow; readonly messages: readonly MessageBody[] }[]
  /** The number of turns of the branch before the given ones, and their tokens. */
  readonly earlier: { readonly turns: number; readonly tokens: number }
  /** Undone turns among and directly before the given ones, oldest first, and their full tokens. */
  readonly undone: readonly { readonly turn: string; readonly tokens: number }[]
}

/** A projection of the log: one line for each turn. */
export interface TurnRow {
  readonly session: string
  readonly turn: string
  /** 1, 2, 3 … within the session. */
  readonly ordinal: number
  readonly firstSeq: number
  readonly lastSeq: number
  /** `undone`: it ended and was undone. */
  readonly state: 'queued' | 'running' | 'undone' | TurnOutcome['type']
  readonly inputTime: string
  /** Sum of `tokens.full` over its input and messages. */
  readonly tokens: number
  /** Sum of `tokens.least`. */
  readonly leastTokens: number
  /** Sum of `tokens` over all turns of its branch before this one. */
  readonly tokensBefore: number
  /** The turn that it follows; `null`: it begins the conversation again. Absent: the turn whose ordinal is one less. */
  readonly parent?: string | null
}

/** A projection of the log: one line for each session. */
/** A row of the store that is not as it was written, or cannot be read. */
export interface StoreDamage {
  /** Such as `entry 7 of session session_1`. */
  readonly place: string
  /** The session that it belongs to; absent where it belongs to none, or that cannot be read. */
  readonly session?: string
  readonly why: string
}

export interface SessionRow {
  readonly id: string
  readonly title: string | undefined
  /** What it is about, on one line: what stands in a list for a session without a title. */
  readonly opening: string | undefined
  readonly folder: string | undefined
  readonly pinned: boolean
  readonly state: SessionActivity
  readonly binding: Binding | undefined
  readonly created: string
  readonly updated: string
  readonly turns: number
  readonly entries: number
  /** The turn after which the conversation goes on; `null`: its beginning. Absent: the newest turn; there are no branches. */
  readonly head?: string | null
  /** Chosen with `/model`; `undefined` follows the configuration. */
  readonly model: string | undefined
  /** Ids by the name of the choice, such as `agent`. */
  readonly choices: Readonly<Record<string, string>>
}
