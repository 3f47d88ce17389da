/**
 * Searches the messages and tool calls of sessions, for the tool `read_history`, HTTP and the command line. The index
 * catches up with the log first, so a query finds everything written before it.
 */
export interface Recall {
  /** Rejects with `SearchError` where the index cannot be read. */
  find(query: RecallQuery): Promise<RecallAnswer>
  /**
   * Ids of a session and of the earlier sessions of its conversation, newest first: those that began in the same conversation
   * of the same channel, or, where no channel is named, the one that it was begun after, and those before that. A model
   * may search these, and never the sessions of others.
   */
  conversationSessions(session: string): Promise<readonly string[]>
}

/** `message`: what a person or a model said. `call`: one call of a tool with its input and its result. */
export type PassageKind = 'message' | 'call'

/** One query. Words between double quotes must appear exactly; nothing else is syntax. */
export interface RecallQuery {
  readonly text: string
  /** Only these sessions; all unless given. An empty list finds nothing. */
  readonly sessions?: readonly string[]
  /** Both unless given. */
  readonly kinds?: readonly PassageKind[]
  /** Turns to leave out, such as the one that asks. */
  readonly exceptTurns?: readonly string[]
  /** The most passages. 10 unless given. */
  readonly limit?: number
  /** `relevance` unless given. `newest`: of the passages that score at least half as much as the best, the latest. */
  readonly order?: 'relevance' | 'newest'
}

export interface RecallAnswer {
  /** Passages in the requested order. */
  readonly passages: readonly RankedPassage[]
  /**
   * `words`: the passages contain words of the question. `nearest`: none was found; these contain the words with the most
   * similar spelling. `nothing`: there are no passages.
   */
  readonly found: 'words' | 'nearest' | 'nothing'
  /** Words of the question that no passage in its scope contains, as they were written. */
  readonly missing: readonly string[]
  /** Where `found` is `nearest`: the words that were searched instead. */
  readonly nearest: readonly string[]
  /** `false` while an older log is still being indexed: there may be more. */
  readonly complete: boolean
}

/** A passage of a session's history: at most some 1,000 characters of one message or one call. */
export interface RankedPassage {
  readonly session: string
  readonly turn: string
  /** Number of the turn in its session, from 1. */
  readonly ordinal: number
  /** `seq` of its log entry. */
  readonly seq: number
  /** ISO 8601, of that entry. */
  readonly time: string
  readonly kind: PassageKind
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  /** Its turn was undone: people can find it, models cannot. */
  readonly undone?: boolean
  /** Characters from the beginning of the whole text, which has `length` characters. */
  readonly start: number
  readonly end: number
  readonly length: number
  /** Of passages of kind `call`. */
  readonly call?: RecallToolCall
  /** Words of the question in this passage or its neighbours, as they were written. */
  readonly matched: readonly string[]
  /** Words of this passage alone that were found, in lower case, as the passage writes them: `tables` where `table` was asked for. */
  readonly hits: readonly string[]
  /** Higher is better; comparable only within one answer. */
  readonly score: number
  /** The passages right before and right after it in the same session. */
  readonly before?: PassageNeighbour
  readonly after?: PassageNeighbour
}

export interface PassageNeighbour {
  readonly ordinal: number
  readonly role: RankedPassage['role']
  /** In one line, at most some 160 characters. */
  readonly text: string
}

/** One call of a tool, each text in one line of at most some 200 characters. */
export interface RecallToolCall {
  readonly id: string
  readonly name: string
  readonly input: string
  readonly outcome: string
  /** `undefined` where the log has none. */
  readonly ok: boolean | undefined
}

/**
 * The index of the messages and tool calls of sessions. It is a projection of their logs: it can be deleted and built again.
 * Several processes may write it; the first one to index a text wins.
 */
export interface RecallIndex {
  /** Progress of a session; `undefined` if nothing of it is indexed. */
  session(id: string): IndexedSession | undefined
  /** All indexed sessions, in the order in which they were first indexed. */
  sessions(): readonly IndexedSession[]
  /**
   * Indexes parts of logs in one transaction, each of them whole. Returns those that were refused, since their session is no longer
   * at `from`: another process has indexed it in the meantime.
   */
  add(parts: readonly LogPart[]): readonly LogPart[]
  /**
   * Merges a part of what was added since, so that a search reads few segments. Returns true while more is left: call again.
   * Without it, a later `add` merges much at once.
   */
  mergeSome(): boolean
  /** Removes a part of a session and overwrites its bytes. Returns true while more is left: call again. */
  removeSome(session: string): boolean
  find(query: RecallQuery): Omit<RecallAnswer, 'complete'>
  /** A session and the earlier ones of its conversation, newest first; of those that began at the same time, by id. */
  conversationSessions(session: string): readonly string[]
  close(): void
}

export interface IndexedSession {
  readonly id: string
  /** `seq` of the last entry that was read, and its time, ISO 8601. */
  readonly upTo: number
  readonly mark: string
}

export interface LogPart {
  readonly session: string
  /** Key that the sessions of one conversation share; absent for a session on its own. */
  readonly conversation?: string
  /** ISO 8601. */
  readonly created: string
  /** The last `seq` that was indexed before this part; 0 for the first. */
  readonly from: number
  /** The `seq` of its last entry, and that entry's time, ISO 8601. */
  readonly upTo: number
  readonly mark: string
  /** Messages that were changed or taken back in this part: what is indexed of them goes before the items are written. */
  readonly replaced?: readonly ReplacedMessage[]
  readonly items: readonly HistoryItem[]
}

/** A message that is not in the conversation any more as it was indexed. */
export interface ReplacedMessage {
  readonly turn: string
  /** `seq` of the first entry of its turn. */
  readonly firstSeq: number
}

/** A message or a tool call. A long one is divided into passages. */
export type HistoryItem = Pick<RankedPassage, 'turn' | 'ordinal' | 'seq' | 'time' | 'kind' | 'role'> & {
  readonly text: string
  /** Stands before the text: the two are not put together, since the text may have megabytes. */
  readonly heading?: string
  readonly call?: RecallToolCall
}
