import {
  type CitationPiece,
  citationNumbers,
  citationReader,
  citedNumbers,
  resultsText,
  withDocuments,
} from '../../context.ts'
import { inSlices, partsOf } from '../../platform.ts'
import type { FoundDocument } from '../../capability.ts'
import type { Entry, Source } from '../../session.ts'
import type { ToolResult } from '../../tool.ts'

/** The numbers of one turn (BEHAVIOURS §3.6): from 1, the same for the same document, through restarts. */
export interface TurnCitations {
  /** Sources of documents that stand in the request itself; they take the first numbers. */
  readonly documents: readonly Source[]
  /** Whether a tool of this turn has found something with numbers. */
  found(): boolean
  /** Numbers what a tool found, and words its result for the model. */
  cite(result: ToolResult): { readonly result: ToolResult; readonly sources: readonly Source[] }
  /** Takes the words of one call as they stream in, and tells what may be shown of them. */
  stream(): CitedStream
  /** What the numbers in a text stand for, each once, in the order in which they first stand there. */
  sourcesOf(text: string): Promise<readonly Source[]>
}

/** Words of a running call: a citation that is cut by the end of a chunk is held back until it can be decided. */
export interface CitedStream {
  /** All that is decided now, no matter how the text was cut: no part of a citation is among it. */
  read(chunk: string): Promise<string>
  /** The call is over: what was held back. */
  end(): string
}

/** Characters of an answer that are read at once: a millisecond or two. */
const PART = 16_384

/** Reads the numbers that were given before from the entries of the turn. */
export function turnCitations(entries: readonly Entry[], documents: readonly Source[]): TurnCitations {
  const before = entries.flatMap((entry) => (entry.type === 'tool-end' ? (entry.sources ?? []) : []))
  const sources = new Map<number, Source>()
  let numbers = citationNumbers([...documents, ...before])
  let hasFound = before.length > 0
  const note = (source: Source) => {
    if (!sources.has(source.citation)) sources.set(source.citation, source)
  }
  for (const source of [...documents, ...before]) note(source)

  function numbered({ content: _content, metadata: _metadata, ...place }: FoundDocument): Source {
    const source: Source = { ...place, citation: numbers.get(place.document)! }
    note(source)
    return source
  }

  return {
    documents,
    found: () => hasFound,
    cite(result) {
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
        ...(url === undefined ? {} : { url }),
        ...(updated === undefined ? {} : { updated_at: updated }),
        content,
        ...(metadata === undefined ? {} : { metadata }),
      }))
      const degraded = result.meta?.['degraded']
      const output = resultsText(results, typeof degraded === 'string' ? degraded : undefined)
      return { result: { ...result, output }, sources: given }
    },
    stream() {
      // Numbers are given between calls: where there is none, nothing in this one can be a citation.
      if (sources.size === 0) return { read: async (chunk) => chunk, end: () => '' }
      const reader = citationReader((number) => sources.has(number))
      return {
        async read(chunk) {
          let decided = ''
          await inSlices(partsOf(chunk, PART), (part) => (decided += joined(reader.read(part))))
          return decided
        },
        end: () => joined(reader.end()),
      }
    },
    async sourcesOf(text) {
      if (sources.size === 0) return []
      const reader = citationReader((number) => sources.has(number))
      const cited = new Set<number>()
      const add = (pieces: readonly CitationPiece[]) => citedNumbers(pieces).forEach((number) => cited.add(number))
      await inSlices(partsOf(text, PART), (part) => add(reader.read(part)))
      add(reader.end())
      return [...cited].flatMap((number) => sources.get(number) ?? [])
    },
  }
}

function joined(pieces: readonly CitationPiece[]): string {
  return pieces.map(({ text }) => text).join('')
}
