import type { DocumentReader } from '../../document.ts'
import type { Tool, ToolContext, ToolResult } from '../../tool.ts'
import type { FoundDocument } from '../../capability/cited-document.ts'
import type { GuardedFetch } from './guarded-fetch.ts'
import { pageAddress } from './page-address.ts'
import { type OpenedPage, pageCache } from './page-cache.ts'
import { readablePage } from './readable-page.ts'
import { webResults } from './web-results.ts'

export interface OpenUrlOptions {
  readonly fetch: GuardedFetch
  /** Takes the text out of what was fetched. */
  readonly readDocument: DocumentReader['read']
}

/** The most URLs of one call, and the most characters of each page (BEHAVIOURS §3.6). */
const MOST_URLS = 10
const MOST_CHARS = 15_000

interface OpenInput {
  readonly urls?: readonly string[]
  readonly url?: string
}

/**
 * The tool `open_url`: what pages of the public web say, with their links. A page that cannot be opened says why in its
 * place, and the others are opened all the same; only where none can be, the call has failed.
 */
export function openUrlTool(options: OpenUrlOptions): Tool {
  const cache = pageCache()

  function opened(address: string, { session, turn, signal }: ToolContext): Promise<OpenedPage> {
    return cache.page(`${session}/${turn}`, address, signal, () => open(address, options, signal))
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
    idempotent: true,
    timeoutMs: 60_000,
    maxShownChars: 200_000,
    faultOf: countFault,
    async execute(input, context) {
      const addresses = [...new Set(given(input as OpenInput).map(pageAddress))]
      const pages = await Promise.all(
        addresses.map(async (address) => ({ address, page: await opened(address, context) })),
      )
      return pages.some(({ page }) => page.type === 'opened')
        ? webResults(pages.map(({ address, page }) => documentOf(address, page)))
        : noneOpened(pages)
    },
  }
}

function given({ urls = [], url }: OpenInput): readonly string[] {
  return url === undefined ? urls : [...urls, url]
}

/** How many there are is said in words that a model can act on; their form is the schema's. */
function countFault({ urls, url }: Readonly<Record<string, unknown>>): string | undefined {
  if (urls !== undefined && !Array.isArray(urls)) return undefined
  const count = (urls?.length ?? 0) + (url === undefined ? 0 : 1)
  if (count === 0) return `open_url needs "urls": 1 to ${MOST_URLS} whole URLs`
  return count > MOST_URLS ? `open_url takes at most ${MOST_URLS} URLs in one call, not ${count}` : undefined
}

async function open(
  address: string,
  { fetch, readDocument }: OpenUrlOptions,
  signal: AbortSignal,
): Promise<OpenedPage> {
  const fetched = await fetch(address, signal)
  if (fetched.type === 'failed') return { type: 'failed', code: fetched.code, reason: fetched.reason }
  try {
    const read = await readablePage(fetched, readDocument, signal)
    if (read.type === 'unreadable') return { type: 'failed', code: 'unreadable', reason: read.reason }
    const { url, updated } = fetched
    return { type: 'opened', title: read.title, url, content: shown(read.text), ...(updated && { updated }) }
  } catch {
    if (signal.aborted) return { type: 'failed', code: 'cancelled', reason: 'it was cancelled' }
    return { type: 'failed', code: 'unreadable', reason: 'its text could not be taken out of it' }
  }
}

/** The beginning of a long text, with a note that says so; both together are no longer than allowed. */
function shown(text: string): string {
  if (text.length <= MOST_CHARS) return text
  const note = `\n[the page has ${text.length.toLocaleString('en-US')} characters; only its beginning is shown]`
  const beginning = text.slice(0, MOST_CHARS - note.length)
  return `${/[\uD800-\uDBFF]$/.test(beginning) ? beginning.slice(0, -1) : beginning}${note}`
}

function documentOf(address: string, page: OpenedPage): FoundDocument {
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
