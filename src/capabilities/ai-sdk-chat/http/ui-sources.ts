import { citationReader, citedNumbers, type CitationPiece, isWebAddress } from '../../../citation.ts'
import { type Entry, type Source } from '../../../session.ts'

/** Tells a page of each source when it is cited first, as `source-url` and `source-document` chunks of the AI SDK. */
export interface UiSources {
  /** Every entry of the turn, in order: some name sources. */
  take(entry: Entry): void
  /** A new call begins. */
  begin(): void
  /** What is said next: the chunks of what it cites. */
  read(text: string): readonly SourceChunk[]
  /** What was said in this call is taken back, and what was reported of it. */
  takeBack(): void
  /** The message is whole: `cited` is what the log has it cite. */
  end(cited: readonly Source[]): readonly SourceChunk[]
}

/** One chunk of the stream. */
export interface SourceChunk {
  readonly type: 'source-url' | 'source-document'
  readonly sourceId: string
  readonly [field: string]: unknown
}

/** Nothing is cited yet. The text keeps its markers as the model wrote them. */
export function uiSources(): UiSources {
  const known = new Map<number, Source>()
  const reported = new Set<number>()
  let reportedInCall: number[] = []
  let reader = newReader()

  function newReader() {
    return citationReader((number) => known.has(number))
  }

  function tell(sources: readonly Source[]): readonly SourceChunk[] {
    return sources
      .filter(({ citation }) => !reported.has(citation))
      .map((source) => {
        reported.add(source.citation)
        reportedInCall.push(source.citation)
        return sourceChunk(source)
      })
  }

  function ofPieces(pieces: readonly CitationPiece[]): readonly SourceChunk[] {
    return tell(citedNumbers(pieces).flatMap((number) => known.get(number) ?? []))
  }

  return {
    take(entry) {
      if (entry.type !== 'assembly' && entry.type !== 'tool-end') return
      for (const source of entry.sources ?? []) if (!known.has(source.citation)) known.set(source.citation, source)
    },
    begin() {
      reportedInCall = []
      reader = newReader()
    },
    read: (text) => ofPieces(reader.read(text)),
    takeBack() {
      for (const number of reportedInCall) reported.delete(number)
      this.begin()
    },
    end: (cited) => [...ofPieces(reader.end()), ...tell(cited)],
  }
}

/** What the model was given of a file is its text; where in it is under `providerMetadata`. */
function sourceChunk(source: Source): SourceChunk {
  const { citation, document, title, url, start, end, page, headings } = source
  const place = Object.entries({ citation, document, start, end, page, headings })
  const providerMetadata = { foreword: Object.fromEntries(place.filter(([, value]) => value !== undefined)) }
  if (isWebAddress(url)) return { type: 'source-url', sourceId: document, url, title, providerMetadata }
  return { type: 'source-document', sourceId: document, mediaType: 'text/plain', title, providerMetadata }
}
