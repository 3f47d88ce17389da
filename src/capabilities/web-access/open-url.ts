import type { FoundDocument } from '../../citation.ts'
import type { DocumentReader } from '../../document.ts'
import type { Tool, ToolContext, ToolResult } from '../../tool.ts'
import { pageAddress, type FetchFaultKind } from './checked-url.ts'
import { type FetchedPage, type GuardedFetch, type PageKind, pageKind } from './guarded-fetch.ts'
import { webResults } from './search-services.ts'
import { numberText, wholeCharacter } from '../../context.ts'

interface OpenUrlOptions {
  readonly fetch: GuardedFetch
  readonly readDocument: DocumentReader['read']
}

/** The most URLs of one call, and the most characters of each page (BEHAVIOURS §3.6). */
const MOST_URLS = 10
const MOST_CHARS = 15_000

interface OpenInput {
  readonly urls?: readonly string[]
  readonly url?: string
}

/** A page that cannot be opened has the reason in its place; the call fails only if no page can be opened. */
export function openUrlTool(options: OpenUrlOptions): Tool {
  const cache = pageCache()

  function opened(address: string, context: ToolContext): Promise<OpenedPage> {
    const { session, turn, signal } = context
    return cache.page(`${session}/${turn}`, address, signal, () => openPage(address, options, context))
  }

  return {
    name: 'open_url',
    description: `Read up to ${MOST_URLS} pages of the public web by their whole URLs. Gives numbered documents to cite.`,
    inputSchema: {
      type: 'object',
      properties: {
        urls: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MOST_URLS },
        url: { type: 'string', description: 'Instead of urls, for one page.' },
      },
      additionalProperties: false,
    },
    origin: 'web',
    readsFrom: (input) => inputUrls(input as OpenInput).map(pageAddress),
    idempotent: true,
    timeoutMs: 60_000,
    maxShownChars: 200_000,
    inputError: countFault,
    async execute(input, context) {
      const addresses = [...new Set(inputUrls(input as OpenInput).map(pageAddress))]
      const pages = await Promise.all(
        addresses.map(async (address) => ({ address, page: await opened(address, context) })),
      )
      return pages.some(({ page }) => page.type === 'opened')
        ? webResults(pages.map(({ address, page }) => pageDocument(address, page)))
        : noneOpened(pages)
    },
  }
}

function inputUrls({ urls = [], url }: OpenInput): readonly string[] {
  return url === undefined ? urls : [...urls, url]
}

/** Refuses a wrong number of URLs in words that a model can act on; the schema checks their form. */
function countFault({ urls, url }: Readonly<Record<string, unknown>>): string | undefined {
  if (urls !== undefined && !Array.isArray(urls)) return undefined
  const count = (urls?.length ?? 0) + (url === undefined ? 0 : 1)
  if (count === 0) return `open_url needs "urls": 1 to ${MOST_URLS} whole URLs`
  return count > MOST_URLS ? `open_url takes at most ${MOST_URLS} URLs in one call, not ${count}` : undefined
}

async function openPage(
  address: string,
  { fetch, readDocument }: OpenUrlOptions,
  { session, signal, followsTo }: ToolContext,
): Promise<OpenedPage> {
  const fetched = await fetch(address, signal, followsTo)
  if (fetched.type === 'failed') return { type: 'failed', code: fetched.code, reason: fetched.reason }
  try {
    const read = await readablePage(fetched, readDocument, session, signal)
    if (read.type === 'unreadable') return { type: 'failed', code: 'unreadable', reason: read.reason }
    const { url, updated } = fetched
    return { type: 'opened', title: read.title, url, content: shortenText(read.text), ...(updated && { updated }) }
  } catch {
    if (signal.aborted) return { type: 'failed', code: 'cancelled', reason: 'it was cancelled' }
    return { type: 'failed', code: 'unreadable', reason: 'its text could not be taken out of it' }
  }
}

function shortenText(text: string): string {
  if (text.length <= MOST_CHARS) return text
  const note = `\n[the page has ${numberText(text.length)} characters; only its beginning is shown]`
  return `${text.slice(0, wholeCharacter(text, MOST_CHARS - note.length))}${note}`
}

function pageDocument(address: string, page: OpenedPage): FoundDocument {
  if (page.type === 'opened') {
    const { title, url, content, updated } = page
    return { document: address, title, url, content, ...(updated !== undefined && { updated }) }
  }
  const title = address.slice(0, 300).toWellFormed()
  return { document: address, title, url: title, content: `This page could not be opened: ${page.reason}.` }
}

function noneOpened(pages: readonly { readonly address: string; readonly page: OpenedPage }[]): ToolResult {
  const lines = pages.map(
    ({ address, page }) => `${address.slice(0, 300).toWellFormed()}: ${page.type === 'failed' ? page.reason : ''}`,
  )
  return {
    ok: false,
    error: lines.length === 1 ? `could not open ${lines[0]}` : `no page could be opened:\n${lines.join('\n')}`,
  }
}

type ReadablePage =
  | { readonly type: 'text'; readonly title: string; readonly text: string }
  | { readonly type: 'unreadable'; readonly reason: string }

/** The reader works in another process, under its own limits. Rejects as the reader does. */
async function readablePage(
  { bytes, url, mediaType, charset }: FetchedPage,
  readDocument: DocumentReader['read'],
  session: string,
  signal: AbortSignal,
): Promise<ReadablePage> {
  if (bytes.length === 0) return { type: 'unreadable', reason: 'it is empty' }
  const name = `page.${extensions[pageKind(mediaType) ?? 'text']}`
  const read = await readDocument({
    bytes,
    name,
    url,
    owner: session,
    signal,
    ...(charset !== undefined && { charset }),
  })
  if (read.kind === 'unreadable') return { type: 'unreadable', reason: read.reason }
  if (read.kind === 'image' || read.kind === 'audio')
    return { type: 'unreadable', reason: 'it is a picture or a recording; only pages of text and PDF are read' }
  return { type: 'text', title: pageTitle(read.kind === 'text' ? read.title : undefined, url), text: read.text }
}

/** The media type of the server decides how a page is read, unless its bytes decide. */
const extensions: Readonly<Record<PageKind, string>> = { html: 'html', pdf: 'pdf', text: 'plain' }

const LONGEST_TITLE = 300

function pageTitle(title: string | undefined, url: string): string {
  const words = title?.replaceAll(/\s+/g, ' ').trim() ?? ''
  return words === '' ? url.slice(0, LONGEST_TITLE) : words.slice(0, LONGEST_TITLE).toWellFormed()
}

type OpenedPage =
  | {
      readonly type: 'opened'
      readonly title: string
      /** Where it was in the end. */
      readonly url: string
      readonly content: string
      readonly updated?: string
    }
  | { readonly type: 'failed'; readonly code: FetchFaultKind | 'unreadable'; readonly reason: string }

/** Turns whose pages are kept, and pages of each: older ones are opened again. */
const MOST_TURNS = 16
const MOST_PAGES = 100

/** Opens each page once in a turn. What failed is tried again when it is asked for again. */
function pageCache() {
  const turns = new Map<string, Map<string, Promise<OpenedPage>>>()

  function turnPages(turn: string): Map<string, Promise<OpenedPage>> {
    const pages = turns.get(turn) ?? new Map<string, Promise<OpenedPage>>()
    turns.delete(turn)
    return keep(turns, turn, pages, MOST_TURNS)
  }

  return {
    /** `open` is called where the page is not there yet. Calls at the same time share one opening. */
    async page(
      turn: string,
      address: string,
      signal: AbortSignal,
      open: () => Promise<OpenedPage>,
    ): Promise<OpenedPage> {
      const pages = turnPages(turn)
      const other = pages.get(address)
      if (other) {
        const page = await other
        // Another call gave up, which is no reason for this one.
        if (page.type === 'opened' || page.code !== 'cancelled' || signal.aborted) return page
      }
      const page = await keep(pages, address, open(), MOST_PAGES)
      if (page.type === 'failed') pages.delete(address)
      return page
    },
  }
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): Value {
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= most) break
    map.delete(oldest)
  }
  return value
}
