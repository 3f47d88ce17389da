import { type AnswerCitation, isWebAddress } from '../../../citation.ts'

/** The citations of a text as its annotations. `start`: where the text begins in the answer that the citations count in. */
export function citationAnnotations(citations: readonly AnswerCitation[], start: number): readonly unknown[] {
  return citations
    .filter((citation) => citation.start >= start)
    .map(({ start: from, end, source: { url, title, document } }) =>
      isWebAddress(url)
        ? { type: 'url_citation', start_index: from - start, end_index: end - start, url, title }
        : { type: 'file_citation', index: from - start, file_id: document, filename: title },
    )
}
