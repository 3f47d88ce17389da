/**
 * The numbers of one turn: the document (a file's id, or a URL) and what it is cited as, in the order in which they were
 * given (BEHAVIOURS §3.6). A value: giving numbers makes a new one.
 */
type CitationNumbers = ReadonlyMap<string, number>

/**
 * The numbers that a turn has given so far; none at its beginning. Takes the sources that its entries tell of, chunks of one
 * document as often as they come: what a document was called first, it is called for good.
 */
export function citationNumbers(
  taken: readonly { readonly document: string; readonly citation: number }[] = [],
): CitationNumbers {
  const numbers = new Map<string, number>()
  for (const { document, citation } of taken) {
    if (!numbers.has(document)) numbers.set(document, citation)
  }
  return numbers
}

/**
 * The numbers with those of further documents. One that has a number keeps it; a new one gets the number behind the highest,
 * in the order given. Searches that ran side by side get theirs one after another, in the order of their calls: then the
 * numbers do not depend on which was done first.
 */
export function withDocuments(numbers: CitationNumbers, documents: readonly string[]): CitationNumbers {
  const more = new Map(numbers)
  let highest = Math.max(0, ...numbers.values())
  for (const document of documents) {
    if (more.has(document)) continue
    highest += 1
    more.set(document, highest)
  }
  return more
}
