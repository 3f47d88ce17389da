import type { SubjectFolders } from './subject-folders.ts'

/** Where subjects are, and how much of them is shown. */
export interface SubjectsOptions extends SubjectFolders {
  /** The most of one text, characters. */
  readonly maxTextChars: number
  /** The most of a whole context as JSON, characters; 50,000 unless given. */
  readonly maxReplyChars?: number | undefined
  /**
   * Puts long notes into words. Asked only for notes of more than 40 lines; where it has no answer, or fails, the context
   * shows their beginning and end.
   */
  readonly summaryOf?: (notes: SummaryRequest) => Promise<string | undefined>
}

/** Notes of more than 40 lines that are to be put into words. */
export interface SummaryRequest {
  readonly subject: string
  readonly text: string
  readonly lines: number
  /** SHA-256 of the text as UTF-8, lowercase hexadecimal: a summary holds for exactly that. */
  readonly sha256: string
}
