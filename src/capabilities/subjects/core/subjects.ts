import type { GapRecord, LogRecord, SubjectContext } from './subject-context.ts'

/** The folders of subjects and tastes. Reads tolerate whatever they find; writes keep whole lines and whole files. */
export interface Subjects {
  /** By id, in the order of their names. Folders whose names are no ids are left out. */
  list(): Promise<readonly SubjectFacts[]>
  /** Whether there is any. Costs less than a list. */
  any(): Promise<boolean>
  /** Rejects with `exists`, and with `invalid-input` for what is no id. */
  create(id: string, options?: { readonly brief?: string }): Promise<void>
  /** Rejects with `not-found` where there is no folder; an empty one is a fresh subject. */
  context(id: string): Promise<SubjectReading>
  /** A part of the notes, by lines. Rejects with `not-found`. */
  notes(id: string, page?: NotesQuery): Promise<NotesPage>
  /** One more line in `log.jsonl`, on disk when it resolves. */
  logOperation(id: string, operation: OperationEntry): Promise<LogRecord>
  /** One more line in `vocabulary_gaps.jsonl`, on disk when it resolves. */
  logGap(id: string, gap: GapEntry): Promise<GapRecord>
  /** The whole text of a file that can be written, exactly as it is on disk; empty where there is none. */
  text(file: SubjectFile): Promise<string>
  /**
   * Replaces a file as a whole, or not at all. `before` is the text that was looked at: where it has changed by then,
   * it is `changed` and nothing is written.
   */
  replace(file: SubjectFile, change: { readonly before: string; readonly text: string }): Promise<void>
}

/** A file that a confirmed proposal changes. */
export type SubjectFile =
  | { readonly type: 'notes'; readonly subject: string }
  /** `name` without `.md`, such as `_default`. */
  | { readonly type: 'taste'; readonly name: string }

/** A line of a list of subjects. */
export interface SubjectFacts {
  readonly id: string
  /** First line of the brief that says something; empty where there is none. */
  readonly title: string
  /** ISO 8601: when one of its files was last changed. */
  readonly updated: string
}

/** The context, and what was odd about the files that it was read from. */
export interface SubjectReading {
  readonly id: string
  readonly context: SubjectContext
  /** Sentences, such as how many lines of a log could not be read. */
  readonly warnings: readonly string[]
}

export interface NotesQuery {
  /** Lines to leave out at the beginning; 0 unless given. */
  readonly offset?: number
  /** The most lines; 200 unless given. */
  readonly limit?: number
}

export interface NotesPage {
  readonly text: string
  readonly offset: number
  /** Lines in `text`. */
  readonly lines: number
  /** Lines of the notes. */
  readonly total: number
  /** Where to go on; `null` at the end. */
  readonly next_offset: number | null
}

export interface OperationEntry {
  readonly op: string
  readonly details?: Readonly<Record<string, unknown>>
  /** ISO 8601. */
  readonly timestamp: string
}

/** A gap as it is reported; what is not known is left out. */
export type GapEntry = Partial<Omit<GapRecord, 'description' | 'timestamp' | 'image_id'>> & {
  readonly description: string
  /** ISO 8601. */
  readonly timestamp: string
}
