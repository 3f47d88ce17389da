import type { CitedSource } from './found-document.ts'
import { citedText } from './reader.ts'

/** A marker in an answer, and what it stands for. `text.slice(start, end)` is the marker as the model wrote it. */
export interface AnswerCitation {
  readonly start: number
  readonly end: number
  readonly source: CitedSource
}

/** Every marker of a text that begins at `offset` of the answer: one for each source that it cites. */
export function answerCitations(
  text: string,
  sources: readonly CitedSource[],
  offset: number,
): readonly AnswerCitation[] {
  const known = new Map(sources.map((source) => [source.citation, source]))
  let start = offset
  return citedText(text, (number) => known.has(number)).flatMap((piece) => {
    const end = start + piece.text.length
    const numbers = piece.type === 'citation' ? piece.numbers : []
    const found = numbers.map((number) => ({ start, end, source: known.get(number)! }))
    start = end
    return found
  })
}
