import { createContext, type ReactNode, useContext, useState } from 'react'
import { citedText } from '../../../src/citation/reader.ts'
import type { CitationSource } from '../../../src/session.ts'
import { Link } from 'wouter'
import { useResource } from '../api/resources.ts'
import type { FileRow } from '../api/upload.ts'
import { Popover } from '../parts/popover.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { safeLink } from './safe-link.ts'
import { t } from '../language/language.ts'

/** The documents that the numbers of an answer can mean. */
export type Sources = ReadonlyMap<number, CitationSource>

export const SourcesContext = createContext<Sources>(new Map())

/** Attaches files that the gateway has to the next message; absent where none can be written. */
export const AttachContext = createContext<((files: readonly string[]) => void) | undefined>(undefined)

/** A text of which the markers of known sources are chips. */
export function CitedText({ text }: { readonly text: string }): ReactNode {
  const sources = useContext(SourcesContext)
  if (sources.size === 0 || !/[[【［]/.test(text)) return text
  return citedText(text, (number) => sources.has(number)).map((piece, index) =>
    piece.type === 'text' ? (
      piece.text
    ) : (
      <span key={index}>
        {piece.numbers.map((number) => (
          <CitationChip key={number} source={sources.get(number)!} />
        ))}
      </span>
    ),
  )
}

/** The source that a link such as `[1](https://…)` cites; `undefined` where it is an ordinary link. */
export function useCitedLink(raw: string): CitationSource | undefined {
  const sources = useContext(SourcesContext)
  if (sources.size === 0 || !/^\[\[?\d/.test(raw)) return undefined
  const [piece, ...more] = citedText(raw, (number) => sources.has(number))
  return piece?.type === 'citation' && more.length === 0 ? sources.get(piece.numbers[0]!) : undefined
}

/** The number of a source in a text, with a preview of what stands there. */
export function CitationChip({ source }: { readonly source: CitationSource }): ReactNode {
  return (
    <Popover
      label={t`Source ${source.citation}`}
      trigger={
        <button
          type="button"
          aria-label={t`Source ${source.citation}: ${source.title}`}
          className="mx-0.5 inline-flex min-w-5 justify-center rounded-full border border-line bg-sunken px-1.5 align-[0.1em] text-xs leading-4 text-accent no-underline hover:border-strong-line"
        >
          {source.citation}
        </button>
      }
    >
      <SourcePreview source={source} />
    </Popover>
  )
}

/** What is known of a source, and the passage itself where it is of a file. A page of the web is not loaded. */
export function SourcePreview({ source }: { readonly source: CitationSource }): ReactNode {
  const { citation, title, headings = [], page, updated } = source
  const place = [page === undefined ? '' : t`page ${page}`, ...headings].filter((part) => part !== '').join(' › ')
  return (
    <div className="flex flex-col gap-1.5" dir="auto">
      <p className="font-medium">
        <span className="text-soft">{`[${citation}]`}</span> <bdi>{title}</bdi>
      </p>
      {place !== '' && <p className="text-soft">{place}</p>}
      {updated !== undefined && <p className="text-soft">{t`Changed ${updated.slice(0, 10)}`}</p>}
      <SourceLink source={source} />
      {source.url === undefined && <Passage source={source} start={source.start ?? 0} />}
      {source.url === undefined && <DocumentLink source={source} />}
    </div>
  )
}

function SourceLink({ source: { url } }: { readonly source: CitationSource }): ReactNode {
  const address = url === undefined ? undefined : safeLink(url)
  if (address === undefined) return null
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent underline underline-offset-2"
    >
      {address}
    </a>
  )
}

/** The way to the whole document: in the files of its agent or project, at the passage, or as a download; and into a message. */
function DocumentLink({ source: { document, start = 0 } }: { readonly source: CitationSource }): ReactNode {
  const attach = useContext(AttachContext)
  const path = `/api/files/${encodeURIComponent(document)}`
  const { data } = useResource<FileRow>(path, { revalidateOnFocus: false, shouldRetryOnError: false })
  if (data === undefined) return null
  const { type, id } = data.owner
  const query = new URLSearchParams({ id, file: document, at: String(start) })
  return (
    <>
      {type === 'session' ? (
        <a className="text-accent underline" href={`${path}/content`} download>
          {t`Download the document`}
        </a>
      ) : (
        <Link className="text-accent underline" href={`/settings/${type}s?${query.toString()}`}>
          {t`Open the document`}
        </Link>
      )}
      {attach && (
        <button type="button" className="self-start text-accent underline" onClick={() => attach([document])}>
          {t`Use in next message`}
        </button>
      )}
    </>
  )
}

/** The most that a preview shows at first, characters. Of a document that was given as a whole it is the beginning. */
const PASSAGE = 600

function Passage({ source, start }: { readonly source: CitationSource; readonly start: number }): ReactNode {
  const [whole, setWhole] = useState(false)
  const length = Math.max(1, Math.min((source.end ?? start + 5 * PASSAGE) - start, 20_000))
  const { data, error } = useResource<{ readonly text: string }>(
    `/api/files/${encodeURIComponent(source.document)}/text?offset=${start}&limit=${length}`,
    { revalidateOnFocus: false, shouldRetryOnError: false },
  )
  if (error) return <p className="text-soft">{error.message}</p>
  if (data === undefined) return <Spinner label={t`Reading the passage`} />
  const shown = whole ? data.text : data.text.slice(0, PASSAGE)
  return (
    <blockquote
      tabIndex={0}
      aria-label={t`Passage`}
      className="border-s-2 border-line ps-2 whitespace-pre-wrap text-soft"
    >
      {shown}
      {shown.length < data.text.length && (
        <button type="button" className="ms-1 text-accent underline" onClick={() => setWhole(true)}>
          {t`more`}
        </button>
      )}
    </blockquote>
  )
}
