import type { FoundDocument } from '../../citation.ts'
import {
  readableCodings,
  readBody,
  type GuardedRequest,
  guardedRequest,
  type RequestOptions,
} from './guarded-request.ts'
import { checkUrl, pageAddress, urlAuthority, type UrlRules, endInTime, FetchFault, fetchFault } from './checked-url.ts'
import {
  brave,
  type SearchConfiguration,
  type SearchProvider,
  type SearchRequest,
  type SearchResult,
  type SearchWire,
  searxng,
  tavily,
} from './search-services.ts'

interface SearchOptions extends Omit<AskingOptions, 'trusted'> {
  readonly search: SearchConfiguration
  readonly allowHosts: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
}

interface CreatedSearch {
  /** Absent if it cannot be used; a warning then gives the reason. */
  readonly provider?: SearchProvider
  readonly warnings: readonly string[]
}

const wires: Readonly<Record<SearchConfiguration['kind'], SearchWire>> = { searxng, brave, tavily }

/** The configured provider. Sends nothing. */
export function createSearch(options: SearchOptions): CreatedSearch {
  const { search, environment } = options
  const wire = wires[search.kind]
  const hosts = options.allowHosts.map((entry) => ({ entry, place: trustedAuthority(entry) }))
  const warnings = hosts
    .filter(({ place }) => place === undefined)
    .map(({ entry }) => `web.allowHosts: ${entry} is no host with its port, such as 127.0.0.1:8888`)
  const rules: UrlRules = { ports: [80, 443], trusted: hosts.flatMap(({ place }) => place ?? []) }
  const place = baseUrl(wire, search.baseURL, rules)
  const secret = findKey(wire, search.apiKeyEnv, environment)
  const faults = [...(typeof place === 'string' ? [place] : []), ...secret.warnings]
  if (typeof place === 'string' || secret.key === undefined) return { warnings: [...warnings, ...faults] }
  const address: SearchAddress = { wire, base: place, key: secret.key, keyVariable: secret.variable, rules }
  return { provider: searchProvider(address, options), warnings: [...warnings, ...faults] }
}

/** `host:port` in the spelling of URLs; `undefined` where it is none. */
function trustedAuthority(entry: string): string | undefined {
  if (!/:\d+$/.test(entry) || /[/?#@\\]/.test(entry)) return undefined
  const url = URL.parse(`http://${entry}`)
  return url ? urlAuthority(url) : undefined
}

function baseUrl(wire: SearchWire, configured: string | undefined, rules: UrlRules): URL | string {
  const text = configured ?? wire.baseURL
  if (text === undefined) return `web.search.baseURL is missing: ${wire.name} has no usual address`
  try {
    const url = checkUrl(text, rules)
    if (wire.keyVariable !== undefined && url.protocol === 'http:' && !rules.trusted.includes(urlAuthority(url))) {
      return 'web.search.baseURL: a key is sent there, so it has to begin with https://'
    }
    if (!url.pathname.endsWith('/')) url.pathname += '/'
    return url
  } catch (error) {
    if (!(error instanceof FetchFault)) throw error
    const url = URL.parse(text)
    const way =
      url?.hostname && url.username === '' && url.password === ''
        ? `; where you trust it, put ${urlAuthority(url)} into web.allowHosts`
        : ''
    return `web.search.baseURL: ${error.message}${way}`
  }
}

interface FoundKey {
  /** Empty if the provider has no key; absent if the key is missing. */
  readonly key?: string
  readonly variable: string
  readonly warnings: readonly string[]
}

function findKey(
  { name, keyVariable }: SearchWire,
  configured: string | undefined,
  environment: SearchOptions['environment'],
): FoundKey {
  if (keyVariable === undefined) {
    const warnings = configured === undefined ? [] : [`web.search.apiKeyEnv: ${name} takes no key, so leave it out`]
    return { key: '', variable: '', warnings }
  }
  const variable = configured ?? keyVariable
  const key = environment[variable]?.trim() ?? ''
  if (key === '') {
    return { variable, warnings: [`web.search.apiKeyEnv: the environment variable ${variable} is not set`] }
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    return { variable, warnings: [`web.search.apiKeyEnv: what ${variable} holds cannot be a key of ${name}`] }
  }
  return { key, variable, warnings: [] }
}

interface SearchAddress {
  readonly wire: SearchWire
  readonly base: URL
  readonly key: string
  readonly keyVariable: string
  readonly rules: UrlRules
}

interface AskingOptions extends RequestOptions {
  readonly maxBytes: number
  /** For a whole search, ms. */
  readonly timeoutMs: number
}

/** Searches with a provider through the guard. Follows no redirects, so that a key is sent only to its own service. */
function searchProvider(address: SearchAddress, options: AskingOptions): SearchProvider {
  const { wire } = address
  return {
    name: wire.name,
    async search(query, limit, signal) {
      try {
        const work = (end: AbortSignal) => ask(address, query, limit, options, end)
        return await endInTime(work, options.timeoutMs, { clock: options.clock, signal, what: 'it was not answered' })
      } catch (error) {
        throw fetchFault(error, 'it could not be asked')
      }
    },
  }
}

async function ask(
  address: SearchAddress,
  query: string,
  limit: number,
  options: AskingOptions,
  signal: AbortSignal,
): Promise<readonly FoundDocument[]> {
  const { wire, base, key, rules } = address
  const asked = guardedSearch(wire.request(query, limit, key), base, rules)
  const answer = await guardedRequest(asked, { ...options, trusted: rules.trusted }, signal)
  try {
    if (answer.status !== 200)
      throw new FetchFault(
        'status',
        `it was answered with ${answer.status}: ${adviceOn(answer.status, address.wire, address.key, address.keyVariable)}`,
        { status: answer.status },
      )
    return foundPages(wire.results(parseAnswer(await readBody(answer, options.maxBytes))), limit)
  } finally {
    answer.close()
  }
}

function guardedSearch(
  { path, parameters = {}, headers = {}, body }: SearchRequest,
  base: URL,
  rules: UrlRules,
): GuardedRequest {
  const url = new URL(path, base)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return {
    url: checkUrl(url.href, { ...rules, longest: 8000 }),
    method: body ? 'POST' : 'GET',
    headers: {
      'user-agent': 'Foreword',
      accept: 'application/json',
      'accept-encoding': readableCodings,
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  }
}

function adviceOn(status: number, wire: SearchWire, key: string, keyVariable: string): string {
  const own = wire.advice?.(status)
  if (own !== undefined) return own
  if (key !== '' && (status === 401 || status === 403)) return `the owner has to check the key in ${keyVariable}`
  if (status === 429 || status === 432 || status === 433) return 'too many searches, or none left; try later'
  if (status >= 300 && status < 400) return 'it sends on to another address, which the owner has to configure'
  return status >= 500 ? 'it has a fault of its own; try later' : 'it does not take the question'
}

function parseAnswer(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new FetchFault('broken', 'its answer is no JSON', { cause: error })
  }
}

const LONGEST_TITLE = 300
const LONGEST_EXCERPT = 2000
const LONGEST_URL = 2000

/** Results of others as documents: whole URLs of the web, each once, texts on one line and not too long. */
function foundPages(results: readonly SearchResult[], limit: number): readonly FoundDocument[] {
  const found = new Map<string, FoundDocument>()
  for (const result of results) {
    if (found.size === limit) break
    const page = foundPage(result)
    if (page && !found.has(page.document)) found.set(page.document, page)
  }
  return [...found.values()]
}

function foundPage({ url, title, content, updated, score }: SearchResult): FoundDocument | undefined {
  if (typeof url !== 'string' || url.length > LONGEST_URL) return undefined
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '')
    return undefined
  const document = pageAddress(url)
  const date = typeof updated === 'string' ? new Date(updated) : undefined
  return {
    document,
    title: oneLine(title, LONGEST_TITLE) || document,
    url: document,
    content: oneLine(content, LONGEST_EXCERPT),
    ...(date && !Number.isNaN(date.getTime()) && { updated: date.toISOString() }),
    ...(typeof score === 'number' && Number.isFinite(score) && { score }),
  }
}

function oneLine(text: unknown, longest: number): string {
  if (typeof text !== 'string') return ''
  const line = text
    .slice(0, longest * 5)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return (line.length > longest ? `${line.slice(0, longest - 1)}…` : line).toWellFormed()
}
