import { citedText } from '../context.ts'
import { type Source } from '../session.ts'
import { isWebAddress } from '../capabilities/ai-sdk-chat/http/ui-sources.ts'

/** A marker in an answer, and what it stands for. `text.slice(start, end)` is the marker as the model wrote it. */
export interface AnswerCitation {
  readonly start: number
  readonly end: number
  readonly source: Source
}

/** Every marker of a text that begins at `offset` of the answer: one for each source that it cites. */
export function answerCitations(text: string, sources: readonly Source[], offset: number): readonly AnswerCitation[] {
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

/** Those with a web address, as OpenAI's format has them. Its clients refuse an answer with any other annotation. */
export function annotations(citations: readonly AnswerCitation[]): readonly unknown[] {
  return citations.flatMap(({ start, end, source: { url, title } }) =>
    isWebAddress(url)
      ? [{ type: 'url_citation', url_citation: { start_index: start, end_index: end, url, title } }]
      : [],
  )
}

/** The others, for whoever knows of them. */
export function fileCitations(citations: readonly AnswerCitation[]): readonly unknown[] {
  return citations.flatMap(({ start, end, source: { url, title, document, page } }) =>
    isWebAddress(url)
      ? []
      : [
          {
            type: 'file_citation',
            file_citation: {
              start_index: start,
              end_index: end,
              file_id: document,
              filename: title,
              ...(page === undefined ? {} : { page }),
            },
          },
        ],
  )
}
