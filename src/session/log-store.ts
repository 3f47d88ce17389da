import type { Binding, Entry, EntryBody, SpokenBody } from './entry.ts'
import type { TurnOutcome } from './turn-outcome.ts'

/** The log of entries, and what it is projected to: turns, sessions and the conversations that they are bound to. */
export interface LogStore {
  /**
   * Writes entries in order and gives them their `seq`. Creates the session when the first entry is `session-start`.
   *
   * @throws StoreError `conflict` when the session, the turn or the idempotency key of an input was used before, or when
   * a settled turn would go on (`turn-start`, `message`, `approval-request`, `approval`, `turn-end`), or a turn that has not
   * ended or was taken back already is taken back (`head`); `not-found` for an unknown session or turn.
   */
  append(session: string, bodies: readonly EntryBody[], time: string): Promise<readonly Entry[]>

  /**
   * Tells the entries that this store writes, with `append` or within a `transaction`, as soon as they are on disk: in the
   * order of the commits, so those of one session in the order of `seq`, and before the promise of the write resolves.
   * What another process writes is not told. The listener must not throw. Answers how to stop listening.
   */
  watch(listener: EntryListener): () => void

  /**
   * Entries of one session, ascending. `after` and `upTo` are `seq` bounds (exclusive, inclusive); `types` filters;
   * `last` gives only the newest n of what matches, `limit` the oldest n: with `after` it reads a long log in pages.
   * With `types` it reads on until it has found them: look for what is rare within bounds.
   */
  entries(session: string, options?: EntriesOptions): Promise<readonly Entry[]>

  /** The `input` entry that was admitted with this key, if any. */
  inputByKey(session: string, idempotencyKey: string): Promise<Entry | undefined>

  /**
   * Turns of one session from the newest backwards until the sum of `leastTokens` passes `limit` (that turn is still
   * given), or until `notBefore`. Costs what it returns, however long the session is. Ascending in the answer. Turns that
   * still wait in the queue are left out. Of each turn its `input` and its `message` entries are given, bare of what only a
   * log needs: a long history is read at every step.
   */
  recentTurns(session: string, options: RecentTurnsOptions): Promise<RecentTurns>

  /** Turns without a `turn-end`, oldest first, over all sessions. */
  unfinishedTurns(): Promise<readonly TurnRow[]>
  turn(session: string, turn: string): Promise<TurnRow | undefined>
  /** Newest first. */
  turns(session: string, options?: { limit?: number; before?: number }): Promise<readonly TurnRow[]>

  /** Newest activity first; with `beginning` only those whose id begins so, by id: a whole id comes first. */
  sessions(options?: {
    limit?: number
    offset?: number
    beginning?: string | undefined
  }): Promise<readonly SessionRow[]>
  session(id: string): Promise<SessionRow | undefined>
  /**
   * Removes a session with its entries, turns, calls, binding and the rows of its files, and the contents that hold words
   * of it (`putContent`). Answers whether there was one. Other contents and the bytes of files stay: others may hold the same.
   */
  deleteSession(id: string): Promise<boolean>
  /**
   * Removes the contents that hold words of a session (`putContent`) and refuses new ones. The session itself stays. Answers how many there were. `not-found` for an unknown session.
   */
  withdrawSession(id: string): Promise<number>

  /** Binds a conversation to a session and frees both from earlier bindings. `not-found` for an unknown session. */
  bind(binding: Binding, session: string): Promise<void>
  bound(binding: Binding): Promise<string | undefined>
}

/** Entries of one session that were written together, in the order of `seq`. */
export type EntryListener = (entries: readonly Entry[]) => void

/** Which entries of a session are read. Without any: all of them, oldest first. */
export interface EntriesOptions {
  readonly after?: number
  readonly upTo?: number
  readonly types?: readonly Entry['type'][]
  readonly turn?: string
  readonly last?: number
  readonly limit?: number
}

export interface RecentTurnsOptions {
  /** In stored tokens. */
  readonly limit: number
  /** Stop at this turn (it is still given). */
  readonly notBefore?: string
  /**
   * Read the log exactly as it was at this `seq`: a turn that went on later is given as far as it had come, in the state
   * it had.
   */
  readonly upTo?: number
  /** Turns whose words the reader still has from an earlier look: they are given with nothing said. */
  readonly known?: (turn: string) => boolean
  /** The turn that is being answered. It and what was admitted after it are no history of it. */
  readonly except?: string
}

/** The newest turns, the oldest of them first, and a count of those before. */
export interface RecentTurns {
  readonly turns: readonly { readonly row: TurnRow; readonly said: readonly SpokenBody[] }[]
  /** Turns that stand before the ones given, and their tokens. */
  readonly earlier: { readonly turns: number; readonly tokens: number }
  /** Turns among and right before the ones given that were taken back, oldest first, and what they would cost in full. */
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
  /** `undone`: it ended and was taken back. */
  readonly state: 'queued' | 'running' | 'undone' | TurnOutcome['type']
  readonly inputTime: string
  /** Sum of `tokens.full` over its input and messages. */
  readonly tokens: number
  /** Sum of `tokens.least`. */
  readonly leastTokens: number
  /** Sum of `tokens` over all turns before this one. */
  readonly tokensBefore: number
}

/** A projection of the log: one line for each session. */
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
  /** Ids by the name of the choice, such as `agent`. */
  readonly choices: Readonly<Record<string, string>>
}

/** Sessions that are remembered. */
const MOST = 1_000

/** Names the turns of a session that were taken back. What was read of a log before is not read again. */
export function undoneTurnsOf(
  store: Pick<LogStore, 'entries' | 'session'>,
): (session: string) => Promise<readonly string[]> {
  const known = new Map<string, { readonly upTo: number; readonly turns: readonly string[] }>()

  return async (session) => {
    const upTo = (await store.session(session))?.entries ?? 0
    const last = known.get(session)
    // A session of the same name may have been deleted and imported again, shorter.
    const before = last !== undefined && last.upTo <= upTo ? last : { upTo: 0, turns: [] }
    if (before.upTo === upTo) return before.turns
    const moves = await store.entries(session, { types: ['head'], after: before.upTo })
    const turns = [...before.turns, ...moves.flatMap((entry) => (entry.type === 'head' ? [entry.turn] : []))]
    known.delete(session)
    known.set(session, { upTo, turns })
    if (known.size > MOST) known.delete(known.keys().next().value!)
    return turns
  }
}
