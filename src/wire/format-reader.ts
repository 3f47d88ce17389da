import type { AnswerDraft } from './answer-draft.ts'
import type { JsonFields, WirePart } from './part.ts'

/** What is read of one format of an API. No reader throws, whatever it is given. */
export interface FormatReader {
  /** The fields of a body that `parts` reads. */
  readonly fields: readonly string[]
  /** The parts of a body, in the order in which the model reads them. */
  readonly parts: (body: JsonFields) => Iterable<WirePart>
  /** Reads an event of a streamed answer. */
  readonly event: (draft: AnswerDraft, event: JsonFields) => void
  /** Reads a whole answer; also the answer to a count of tokens. */
  readonly answer: (draft: AnswerDraft, answer: JsonFields) => void
}
