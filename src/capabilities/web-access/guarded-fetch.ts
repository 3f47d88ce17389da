import { STATUS_CODES } from 'node:http'
import {
  readableCodings,
  readBody,
  type GuardedResponse,
  guardedRequest,
  type RequestOptions,
} from './guarded-request.ts'
import type { ToolContext } from '../../tool.ts'
import {
  checkUrl,
  urlHost,
  endInTime,
  FetchFault,
  fetchFault,
  type FetchFaultKind,
  pageAddress,
} from './checked-url.ts'

/** Gets one page of the public web. Never rejects. */
export type GuardedFetch = (url: string, signal: AbortSignal, followsTo?: ToolContext['followsTo']) => Promise<Fetched>

type Fetched = FetchedPage | NotFetched

export interface FetchedPage {
  readonly type: 'fetched'
  /** The last URL after redirects, without its fragment. */
  readonly url: string
  readonly mediaType: string
  /** As the server named it. */
  readonly charset?: string
  readonly bytes: Uint8Array
  /** The last change according to the server: ISO 8601. */
  readonly updated?: string
}

interface NotFetched {
  readonly type: 'failed'
  readonly code: FetchFaultKind
  /** A sentence for the model, without the URL. */
  readonly reason: string
}

interface GuardedFetchOptions extends Omit<RequestOptions, 'trusted'> {
  /** The largest page, bytes, compressed and decompressed. Default: 5,000,000. */
  readonly maxBytes?: number | undefined
  /** Time limit, redirects included, ms. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** Default: 80 and 443. */
  readonly ports?: readonly number[] | undefined
  /** Default: pages of text and PDF. */
  readonly wanted?: WantedContent | undefined
}

/** What is asked for, and which answers are read. */
interface WantedContent {
  /** As the header `accept`. */
  readonly accept: string
  accepts(mediaType: string): boolean
  /** Ends the sentence about another kind. */
  readonly only: string
}

const pages: WantedContent = {
  accept: 'text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf;q=0.9, */*;q=0.5',
  accepts: (mediaType) => pageKind(mediaType) !== undefined,
  only: 'only pages of text and PDF are read',
}

/** Images that a browser draws without running anything. */
export const pictures: WantedContent = {
  accept: 'image/png, image/jpeg, image/gif, image/webp',
  accepts: (mediaType) => pictures.accept.split(', ').includes(mediaType),
  only: 'only PNG, JPEG, GIF and WebP images are shown',
}

const MOST_REDIRECTS = 5

/**
 * Fetches pages; resolves the address of every hop, checks that it is public, and connects to that address (DESIGN
 * §8). GET only, without cookies and referrer. No option weakens the guard.
 */
export function guardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { timeoutMs = 30_000 } = options
  return async (url, signal, followsTo) => {
    try {
      const work = (end: AbortSignal) => follow(url, { ...options, followsTo }, end)
      return await endInTime(work, timeoutMs, { clock: options.clock, signal, what: 'it was not read to its end' })
    } catch (error) {
      const { kind, message } = fetchFault(error, 'it could not be read')
      return { type: 'failed', code: kind, reason: message }
    }
  }
}

async function follow(
  first: string,
  options: GuardedFetchOptions & { readonly followsTo: ToolContext['followsTo'] },
  signal: AbortSignal,
): Promise<FetchedPage> {
  const { ports = [80, 443], maxBytes = 5_000_000, wanted = pages } = options
  const headers = { 'user-agent': 'Foreword', accept: wanted.accept, 'accept-encoding': readableCodings }
  let url = checkUrl(first, { ports, trusted: [] })
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const answer = await nameRedirect(redirects, url, guardedRequest({ url, method: 'GET', headers }, options, signal))
    try {
      const next = redirectTarget(answer, url)
      if (next === undefined) return await readPage(answer, url, { maxBytes, wanted })
      const target = nextUrl(next, url, ports)
      // What a host does with an address of its own is its affair: it has read the address.
      if (target.hostname !== url.hostname && options.followsTo?.(pageAddress(target.href)) === false) {
        throw new FetchFault('redirects', `it leads on to ${target.href}, which is to be opened by itself`)
      }
      url = target
    } finally {
      answer.close()
    }
  }
  throw new FetchFault('redirects', `it leads on more than ${MOST_REDIRECTS} times`)
}

function redirectTarget({ status, headers: { location } }: GuardedResponse, url: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  const next = URL.parse(location, url)
  if (!next) throw new FetchFault('redirects', 'it leads on to something that is no URL')
  return next
}

function nextUrl(next: URL, url: URL, ports: readonly number[]): URL {
  try {
    const checked = checkUrl(next.href, { ports, trusted: [] })
    if (url.protocol === 'https:' && checked.protocol === 'http:') {
      throw new FetchFault('refused', 'from https it goes back to http, where anybody on the way could change it')
    }
    return checked
  } catch (error) {
    throw withPrefix('it leads on, and there: ', error)
  }
}

async function nameRedirect(redirects: number, url: URL, answer: Promise<GuardedResponse>): Promise<GuardedResponse> {
  try {
    return await answer
  } catch (error) {
    throw redirects === 0 ? error : withPrefix(`it leads on to ${urlHost(url)}, and there: `, error)
  }
}

function withPrefix(prefix: string, error: unknown): unknown {
  return error instanceof FetchFault ? new FetchFault(error.kind, prefix + error.message, { cause: error }) : error
}

async function readPage(
  answer: GuardedResponse,
  url: URL,
  { maxBytes, wanted }: { readonly maxBytes: number; readonly wanted: WantedContent },
): Promise<FetchedPage> {
  const { status, headers: received } = answer
  if (status < 200 || status > 299) {
    const words = STATUS_CODES[status] ?? 'an unknown status'
    throw new FetchFault('status', `it was answered with ${status} ${words}`, { status })
  }
  const { mediaType, charset } = parseContentType(received['content-type'])
  if (mediaType !== '' && !wanted.accepts(mediaType)) {
    throw new FetchFault('unsupported', `it is ${describeType(mediaType)}; ${wanted.only}`)
  }
  const bytes = await readBody(answer, maxBytes)
  const updated = new Date(received['last-modified'] ?? '')
  return {
    type: 'fetched',
    url: withoutFragment(url),
    mediaType: mediaType === '' ? guessMediaType(bytes) : mediaType,
    ...(charset !== undefined && { charset }),
    bytes,
    ...(!Number.isNaN(updated.getTime()) && { updated: updated.toISOString() }),
  }
}

/** A server may write anything into its media type. */
function describeType(mediaType: string): string {
  return /^[\w.+-]{1,80}\/[\w.+-]{1,80}$/.test(mediaType) ? mediaType : 'of an unknown type'
}

function withoutFragment(url: URL): string {
  const plain = new URL(url)
  plain.hash = ''
  return plain.href
}

/** What a page can be made of, as far as it is read. */
export type PageKind = 'html' | 'pdf' | 'text'

function parseContentType(contentType: string | undefined): {
  readonly mediaType: string
  readonly charset?: string
} {
  const [mediaType = '', ...parameters] = (contentType ?? '').slice(0, 500).toLowerCase().split(';')
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='))
  const name = charset
    ?.slice('charset='.length)
    .replaceAll(/^["']|["']$/g, '')
    .trim()
  return { mediaType: mediaType.trim(), ...(name && { charset: name }) }
}

export function pageKind(mediaType: string): PageKind | undefined {
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') return 'html'
  if (mediaType === 'application/pdf' || mediaType === 'application/x-pdf') return 'pdf'
  if (mediaType.startsWith('text/') || textTypes.has(mediaType) || /\+(?:json|xml)$/.test(mediaType)) return 'text'
  return undefined
}

function guessMediaType(bytes: Uint8Array): string {
  const beginning = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  if (beginning.startsWith('%PDF-')) return 'application/pdf'
  return /^[\s\u00ef\u00bb\u00bf]*<(?:!doctype html|html|head|body)/i.test(beginning) ? 'text/html' : 'text/plain'
}

const textTypes = new Set([
  'application/json',
  'application/ld+json',
  'application/x-ndjson',
  'application/xml',
  'application/markdown',
  'application/yaml',
  'application/x-yaml',
  'application/javascript',
  'application/toml',
])
