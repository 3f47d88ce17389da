import { type Clock, defined, inSlices, textChunks } from '../platform.ts'
import { type CitedSource, type FoundDocument, resultsText } from './document-text.ts'
import { type CitationPiece, citedNumbers } from './piece.ts'
import { citationReader } from './reader.ts'

/** The numbers of one turn (BEHAVIOURS §3.6): from 1, the same for the same document, through restarts. */
export type TurnCitations = ReturnType<typeof turnCitations>

/** Characters of an answer that are read at once: a millisecond or two. */
const PART = 16_384

/** `before`: the sources that tools of this turn have found so far, in order. `documents` are part of the request itself. */
export function turnCitations(clock: Clock, before: readonly CitedSource[], documents: readonly CitedSource[]) {
  const sources = new Map<number, CitedSource>()
  let numbers = citationNumbers([...documents, ...before])
  let hasFound = before.length > 0
  const note = (source: CitedSource) => {
    if (!sources.has(source.citation)) sources.set(source.citation, source)
  }
  for (const source of [...documents, ...before]) note(source)

  function numbered({ content: _content, metadata: _metadata, ...place }: FoundDocument): CitedSource {
    const source: CitedSource = { ...place, citation: numbers.get(place.document)! }
    note(source)
    return source
  }

  return {
    /** Sources of documents that are part of the request itself; they get the first numbers. */
    documents,
    /** Whether a tool of this turn has found something with numbers. */
    found: () => hasFound,
    /** Numbers what a tool found, and words its result for the model. */
    cite<
      Result extends {
        readonly ok: boolean
        readonly output?: string
        readonly meta?: Readonly<Record<string, unknown>>
      },
    >(result: Result) {
      const found = result.meta?.['documents'] as readonly FoundDocument[] | undefined
      if (!result.ok || !Array.isArray(found) || found.length === 0) return { result, sources: [] }
      hasFound = true
      numbers = withDocuments(
        numbers,
        found.map(({ document }) => document),
      )
      const given = found.map(numbered)
      const results = found.map(({ title, url, updated, content, metadata }, index) => ({
        citation_id: given[index]!.citation,
        title,
        ...defined({ url, updated_at: updated }),
        content,
        ...defined({ metadata }),
      }))
      const degraded = result.meta?.['degraded']
      const output = resultsText(results, typeof degraded === 'string' ? degraded : undefined)
      return { result: { ...result, output }, sources: given }
    },
    /** Takes the words of one call as they stream in. A citation that a chunk cuts is held back until it is decided. */
    stream() {
      // Numbers are given between calls: where there is none, nothing in this one can be a citation.
      if (sources.size === 0) return { read: async (chunk: string) => chunk, end: () => '' }
      const reader = citationReader((number) => sources.has(number))
      return {
        /** All that is decided now: no part of a citation is among it. */
        async read(chunk: string) {
          let decided = ''
          await inSlices(clock, textChunks(chunk, PART), (part) => (decided += joined(reader.read(part))))
          return decided
        },
        /** What was held back, once the call is over. */
        end: () => joined(reader.end()),
      }
    },
    /** The sources that a text cites, each once, in the order in which they are first cited. */
    async citedSources(text: string) {
      if (sources.size === 0) return []
      const reader = citationReader((number) => sources.has(number))
      const cited = new Set<number>()
      const add = (pieces: readonly CitationPiece[]) => citedNumbers(pieces).forEach((number) => cited.add(number))
      await inSlices(clock, textChunks(text, PART), (part) => add(reader.read(part)))
      add(reader.end())
      return [...cited].flatMap((number) => sources.get(number) ?? [])
    },
  }
}

function joined(pieces: readonly CitationPiece[]): string {
  return pieces.map(({ text }) => text).join('')
}

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
