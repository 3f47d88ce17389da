import type { AuditFacts, AuditRecord } from './audit.ts'
import type { FileOwner, FileRow, FileState } from './file-row.ts'
import type { RecordChange, RecordVersion } from './record.ts'
import type { Binding, CallOutcome, CallRecord, Entry, EntryBody, SpokenBody } from './entry.ts'
import type { TurnOutcome } from './turn-outcome.ts'

/**
 * Where sessions live. Every backend runs the case suite of `foreword/testing`.
 *
 * A promise that resolves means: it is on disk and survives `kill -9` and power loss. What one `append` writes appears
 * whole or not at all. Reading never blocks writing. What fails is a `StoreError`, and fails alone: nothing of it is
 * written, and writes beside it are not harmed.
 *
 * Everything handed in is plain JSON: what JSON cannot say (`undefined`, bytes, dates) does not come back.
 */
export interface SessionStore {
  /**
   * Writes entries in order and gives them their `seq`. Creates the session when the first entry is `session-start`.
   *
   * @throws StoreError `conflict` when the session, the turn or the idempotency key of an input was used before, or when
   * a settled turn would go on (`turn-start`, `message`, `approval-request`, `approval`, `turn-end`), or a turn that has not
   * ended or was taken back already is taken back (`head`); `not-found` for an unknown session or turn.
   */
  append(session: string, bodies: readonly EntryBody[], time: string): Promise<readonly Entry[]>

  /** Several writes in order, all or nothing, such as the entry that announces a call together with its record. */
  transaction(writes: readonly Write[]): Promise<void>

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

  /**
   * Stores a text under its SHA-256 (lowercase hexadecimal) and answers that hash. The same text is stored once. `holds`:
   * sessions whose words the text holds. It is removed with the first of them that is deleted or withdrawn, and is not
   * stored at all where that has happened already.
   */
  putContent(text: string, holds?: readonly string[]): Promise<string>
  content(hash: string): Promise<string | undefined>
  /** Whether a content is missing because it held words of a session that was deleted or withdrawn. */
  contentWasRemoved(hash: string): Promise<boolean>

  /** `conflict` when a call of this id is known. */
  putCall(record: CallRecord): Promise<void>
  /** `not-found` when no call of this id is known. */
  finishCall(id: string, outcome: CallOutcome): Promise<void>
  call(id: string): Promise<CallRecord | undefined>
  /** Calls of a session in the order they were made. */
  calls(session: string, options?: CallsOptions): Promise<readonly CallRecord[]>
  /** Calls of every session and of none, newest first; with `beginning` only those whose id begins so, by id. */
  findCalls(options: { limit: number; beginning?: string | undefined }): Promise<readonly CallRecord[]>

  /** Small named values: calibration, settings that the runtime learned. JSON. */
  putValue(key: string, value: unknown): Promise<void>
  value(key: string): Promise<unknown>

  /**
   * Records of the audit in their order. They are written with `transaction` alone, outlive the sessions they speak of,
   * and are never changed or removed.
   */
  audit(options?: AuditOptions): Promise<readonly AuditRecord[]>
  /** The newest record as it was noted beside the chain when it was written; `undefined` before the first. */
  auditHead(): Promise<Pick<AuditRecord, 'number' | 'hash'> | undefined>

  /** Writes a new version. `conflict` where `after` is not the newest. */
  putRecord(change: RecordChange, time: string): Promise<RecordVersion>
  /** The newest version, removed ones too. */
  record(kind: string, id: string): Promise<RecordVersion | undefined>
  /** Newest first. */
  recordVersions(kind: string, id: string): Promise<readonly RecordVersion[]>
  /** The newest version of each record that is not removed, in the order in which the records were made. */
  records(kind: string): Promise<readonly RecordVersion[]>

  /** `conflict` where a file of this id is known. */
  putFile(row: FileRow): Promise<void>
  /** `not-found` where no file of this id is known. */
  setFileState(id: string, state: FileState): Promise<void>
  /** Makes a file belong to something else. `not-found` where no file of this id is known. */
  setFileOwner(id: string, owner: FileOwner): Promise<void>
  file(id: string): Promise<FileRow | undefined>
  /** In the order in which they were handed in; what is given must all hold. */
  files(options?: FilesOptions): Promise<readonly FileRow[]>
  /** Answers whether there was one. Whether its bytes are still needed is for the caller to know. */
  deleteFile(id: string): Promise<boolean>

  /** Waits for everything that was accepted, then closes. */
  close(): Promise<void>
}

/** Entries of one session that were written together, in the order of `seq`. */
export type EntryListener = (entries: readonly Entry[]) => void

/** One write as data, for `transaction`. Each does what the method of the same purpose does. */
export type Write =
  | { readonly type: 'append'; readonly session: string; readonly bodies: readonly EntryBody[]; readonly time: string }
  | { readonly type: 'call'; readonly record: CallRecord }
  | { readonly type: 'call-outcome'; readonly id: string; readonly outcome: CallOutcome }
  | { readonly type: 'content'; readonly text: string }
  | { readonly type: 'value'; readonly key: string; readonly value: unknown }
  | { readonly type: 'binding'; readonly binding: Binding; readonly session: string }
  | { readonly type: 'record'; readonly change: RecordChange; readonly time: string }
  | { readonly type: 'file'; readonly row: FileRow }
  | { readonly type: 'file-state'; readonly id: string; readonly state: FileState }
  | { readonly type: 'file-owner'; readonly id: string; readonly owner: FileOwner }
  /** One more link of the audit's chain: its number and hashes are made where it is written. */
  | { readonly type: 'audit'; readonly facts: AuditFacts; readonly time: string }

/** Which entries of a session are read. Without any: all of them, oldest first. */
export interface EntriesOptions {
  readonly after?: number
  readonly upTo?: number
  readonly types?: readonly Entry['type'][]
  readonly turn?: string
  readonly last?: number
  readonly limit?: number
}

/** `last`: the newest n. `after` and `limit`: the n calls that follow the one of this id. */
export interface CallsOptions {
  readonly last?: number
  readonly after?: string
  readonly limit?: number
}

/** Which files are listed. `hash`: those with exactly these bytes. */
export interface FilesOptions {
  readonly owner?: FileOwner
  readonly state?: FileState['type']
  readonly hash?: string
}

/** Which records of the audit are read; what is given must all hold. Without any: all of them, oldest first. */
export interface AuditOptions {
  readonly session?: string
  readonly turn?: string
  readonly tool?: string
  readonly decision?: AuditFacts['decision']
  /** ISO 8601: at this time or later. */
  readonly since?: string
  /** Only records with a larger number. */
  readonly after?: number
  /** The newest n of what matches. */
  readonly last?: number
  /** The oldest n of what matches: with `after` a long audit is read in pages. */
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
  /** The custom agent that answers; `undefined` is the default agent. */
  readonly agent: string | undefined
  readonly project: string | undefined
  /** Id of the subject that it is about. */
  readonly subject: string | undefined
}
