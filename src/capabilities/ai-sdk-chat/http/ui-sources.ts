import { citationReader, citedNumbers, type CitationPiece, isWebAddress } from '../../../citation.ts'
import { type Entry, type CitationSource } from '../../../session.ts'

/** Reports each source when it is first cited, as a `source-url` or `source-document` chunk of the AI SDK. */
interface UiSources {
  /** Called with every entry of the turn, in order: some name sources. */
  addEntry(entry: Entry): void
  begin(): void
  /** The chunks of the sources that the next piece of text cites. */
  read(text: string): readonly SourceChunk[]
  /** Discards the text of this call and the sources that it reported. */
  takeBack(): void
  /** The message is complete. `cited`: its citations in the log. */
  end(cited: readonly CitationSource[]): readonly SourceChunk[]
}

export interface SourceChunk {
  readonly type: 'source-url' | 'source-document'
  readonly sourceId: string
  readonly [field: string]: unknown
}

/** Without citations yet. The text keeps its markers as the model wrote them. */
export function uiSources(): UiSources {
  const known = new Map<number, CitationSource>()
  const reported = new Set<number>()
  let reportedInCall: number[] = []
  let reader = newReader()

  function newReader() {
    return citationReader((number) => known.has(number))
  }

  function report(sources: readonly CitationSource[]): readonly SourceChunk[] {
    return sources
      .filter(({ citation }) => !reported.has(citation))
      .map((source) => {
        reported.add(source.citation)
        reportedInCall.push(source.citation)
        return sourceChunk(source)
      })
  }

  function pieceChunks(pieces: readonly CitationPiece[]): readonly SourceChunk[] {
    return report(citedNumbers(pieces).flatMap((number) => known.get(number) ?? []))
  }

  return {
    addEntry(entry) {
      if (entry.type !== 'assembly' && entry.type !== 'tool-end') return
      for (const source of entry.sources ?? []) if (!known.has(source.citation)) known.set(source.citation, source)
    },
    begin() {
      reportedInCall = []
      reader = newReader()
    },
    read: (text) => pieceChunks(reader.read(text)),
    takeBack() {
      for (const number of reportedInCall) reported.delete(number)
      this.begin()
    },
    end: (cited) => [...pieceChunks(reader.end()), ...report(cited)],
  }
}

/** The model received the text of a file. `providerMetadata` has the position in it. */
function sourceChunk(source: CitationSource): SourceChunk {
  const { citation, document, title, url, start, end, page, headings } = source
  const place = Object.entries({ citation, document, start, end, page, headings })
  const providerMetadata = { foreword: Object.fromEntries(place.filter(([, value]) => value !== undefined)) }
  if (isWebAddress(url)) return { type: 'source-url', sourceId: document, url, title, providerMetadata }
  return { type: 'source-document', sourceId: document, mediaType: 'text/plain', title, providerMetadata }
}
