import type { RecallAnswer, RecalledCall, RecallQuery, RankedPassage } from '../recall.ts'

/**
 * The index of what was said and done in sessions. A projection of their logs: it can be deleted and built again, and holds
 * nothing that is not elsewhere. Several processes may write it; a text is indexed once, whoever is first.
 */
export interface RecallIndex {
  /** What is known of a session, or nothing where none of it is indexed. */
  session(id: string): IndexedSession | undefined
  /** All of them, in the order in which they were first indexed. */
  sessions(): readonly IndexedSession[]
  /**
   * Indexes the next part of a log, all of it or nothing. Answers false, with nothing written, where the session is no
   * longer at `from`: somebody else has indexed it meanwhile.
   */
  add(part: LogPart): boolean
  /** Takes some of a session out; bytes are overwritten, not only given free. Answers whether more is left: call again. */
  removeSome(session: string): boolean
  find(query: RecallQuery): Omit<RecallAnswer, 'complete'>
  /** A session and the earlier ones of its conversation, newest first; of those that began at the same time, by id. */
  conversationOf(session: string): readonly string[]
  close(): void
}

/** How far the log of a session is indexed. */
export interface IndexedSession {
  readonly id: string
  /** `seq` of the last entry that was looked at, and its time, ISO 8601. */
  readonly upTo: number
  readonly mark: string
}

/** A stretch of one session's log, as the index takes it. */
export interface LogPart {
  readonly session: string
  /** What the sessions of one conversation have in common; absent for a session of its own. */
  readonly conversation?: string
  /** ISO 8601. */
  readonly created: string
  /** The `seq` that was indexed last before this part; 0 for the first. */
  readonly from: number
  /** The `seq` of its last entry, and that entry's time, ISO 8601. */
  readonly upTo: number
  readonly mark: string
  readonly items: readonly HistoryItem[]
}

/** Something that was said or done. It is divided into passages where it is long. */
export type HistoryItem = Pick<RankedPassage, 'turn' | 'ordinal' | 'seq' | 'time' | 'kind' | 'role'> & {
  readonly text: string
  readonly call?: RecalledCall
}
