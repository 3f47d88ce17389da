import type { SubjectPlaces } from './subject-places.ts'
import type { SummaryRequest } from './summary-request.ts'

/** Where subjects are, and how much of them is shown. */
export interface SubjectsOptions extends SubjectPlaces {
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
