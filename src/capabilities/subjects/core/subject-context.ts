/**
 * What is known of a subject, in the shape that every endpoint and tool answers with: always with every key (BEHAVIOURS §4). Its names
 * are part of what others read, so they are spelled as in its files.
 */
export interface SubjectContext {
  readonly tastes: Tastes
  readonly brief: Brief
  readonly notes: Notes
  /** The last 10, newest first. */
  readonly recent_log: readonly LogRecord[]
  /** The last 10, newest first. */
  readonly recent_gaps: readonly GapRecord[]
}

/** How its owner likes things to be. */
export interface Tastes {
  /** Text of `_default.md`; empty where there is none. */
  readonly default: string
  /** By name, in the order in which the brief declares them. */
  readonly genres: Readonly<Record<string, string>>
  readonly conflicts: readonly Conflict[]
}

/** A line that is in two or more genre files. Nobody decides between them but the people concerned. */
export interface Conflict {
  readonly point: string
  readonly files: readonly string[]
}

export interface Brief {
  /** All of `brief.md`. */
  readonly raw: string
  /** The same without its declarations of tastes, trimmed. */
  readonly intent: string
  /** Names that the declaration gives, whether or not there are files of them. */
  readonly tastes: readonly string[]
}

export interface Notes {
  readonly summary: string
  /** Something of the notes is not in the summary. */
  readonly truncated: boolean
}

/** One line of `log.jsonl`. */
export interface LogRecord {
  /** Empty where the line has none; so is `op`. */
  readonly timestamp: string
  readonly op: string
  /** All other keys of the line. */
  readonly details: Readonly<Record<string, unknown>>
}

/** One line of `vocabulary_gaps.jsonl`: something that the words or tools at hand could not do. */
export interface GapRecord {
  readonly timestamp: string
  readonly image_id: string
  readonly description: string
  readonly session_id: string | null
  readonly snapshot_hash: string | null
  readonly intent: string | null
  readonly intent_category: string
  readonly missing_capability: string | null
  readonly operations_involved: readonly string[]
  readonly vocabulary_used: readonly string[]
  readonly satisfaction: string | number | null
  readonly workaround: string | null
  readonly notes: string
}
