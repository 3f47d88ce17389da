import type { DocumentReader } from '../../document.ts'
import type { FetchedPage } from './guarded-fetch.ts'
import { type PageKind, pageKind } from './media-type.ts'

/** What a page says, or why that cannot be told. */
export type ReadablePage =
  | { readonly type: 'text'; readonly title: string; readonly text: string }
  | { readonly type: 'unreadable'; readonly reason: string }

/** Takes the text out of what was fetched; the reader works somewhere else, under limits of its own. Rejects as it does. */
export async function readablePage(
  { bytes, url, mediaType, charset }: FetchedPage,
  readDocument: DocumentReader['read'],
  signal: AbortSignal,
): Promise<ReadablePage> {
  if (bytes.length === 0) return { type: 'unreadable', reason: 'it is empty' }
  const name = `page.${extensions[pageKind(mediaType) ?? 'text']}`
  const read = await readDocument({ bytes, name, url, ...(charset !== undefined && { charset }), signal })
  if (read.kind === 'unreadable') return { type: 'unreadable', reason: read.reason }
  if (read.kind === 'image')
    return { type: 'unreadable', reason: 'it is a picture; only pages of text and PDF are read' }
  return { type: 'text', title: titleOf(read.kind === 'text' ? read.title : undefined, url), text: read.text }
}

/** What the server said it is decides how it is read, as far as its bytes do not. */
const extensions: Readonly<Record<PageKind, string>> = { html: 'html', pdf: 'pdf', text: 'plain' }

/** The longest title that is kept, characters. */
const LONGEST_TITLE = 300

function titleOf(title: string | undefined, url: string): string {
  const words = title?.replaceAll(/\s+/g, ' ').trim() ?? ''
  return words === '' ? url.slice(0, LONGEST_TITLE) : words.slice(0, LONGEST_TITLE).toWellFormed()
}
