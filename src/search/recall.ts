/**
 * Finds what was said and done in sessions. One answer for everyone who asks: the tool `read_history`, HTTP and the
 * command line. What was written before a question is asked can be found by it: the index catches up first.
 */
export interface Recall {
  /** Rejects with `SearchError` where the index cannot be read. */
  find(query: RecallQuery): Promise<RecallAnswer>
  /**
   * Ids of a session and of the earlier sessions of its conversation, newest first: those that began in the same conversation
   * of the same channel, or, where no channel is named, the one that it was begun after, and those before that. What a model
   * may search: never the sessions of others.
   */
  conversationOf(session: string): Promise<readonly string[]>
}

/** `message`: what a person or a model said. `call`: one call of a tool with its input and its result. */
export type PassageKind = 'message' | 'call'

/** One question to the history. Words between double quotes have to appear as they are; nothing else is syntax. */
export interface RecallQuery {
  readonly text: string
  /** Only these sessions; all of them where absent. None: nothing is found. */
  readonly sessions?: readonly string[]
  /** Both unless given. */
  readonly kinds?: readonly PassageKind[]
  /** Turns that are no answer, such as the one that asks. */
  readonly exceptTurns?: readonly string[]
  /** At most so many passages. 10 unless given. */
  readonly limit?: number
  /** `relevance` unless given. `newest`: of the passages that score at least half as much as the best, the latest. */
  readonly order?: 'relevance' | 'newest'
}

export interface RecallAnswer {
  /** Passages in the order that was asked for. */
  readonly passages: readonly RankedPassage[]
  /**
   * `words`: the passages hold words of the question. `nearest`: none was found; these hold the words that are spelled
   * most nearly like them. `nothing`: not even that, and there are no passages.
   */
  readonly found: 'words' | 'nearest' | 'nothing'
  /** Words of the question that were found in no passage within its scope, as they were written. */
  readonly missing: readonly string[]
  /** Where `found` is `nearest`: the words that were looked for instead. */
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
  /** `seq` of the log entry that holds it. */
  readonly seq: number
  /** ISO 8601, of that entry. */
  readonly time: string
  readonly kind: PassageKind
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  /** Its turn was taken back: a person may find it, a model is not given it. */
  readonly undone?: boolean
  /** Characters from the beginning of the whole text, which has `length` characters. */
  readonly start: number
  readonly end: number
  readonly length: number
  /** Of passages of kind `call`. */
  readonly call?: RecalledCall
  /** Words of the question that this passage or its neighbours hold, as they were written. */
  readonly matched: readonly string[]
  /** Higher is better; comparable within one answer alone. */
  readonly score: number
  /** What was said right before and right after it in the same session. */
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
export interface RecalledCall {
  readonly id: string
  readonly name: string
  readonly input: string
  readonly outcome: string
  /** `undefined` where the log does not say. */
  readonly ok: boolean | undefined
}
