import type { FoundDocument } from '../../capability/cited-document.ts'
import { readableCodings, readBody } from './body.ts'
import { checkedUrl, type UrlRules } from './checked-url.ts'
import { deadline } from './deadline.ts'
import type { Answer, Asked } from './exchange.ts'
import { FetchFault, faultOf } from './fetch-fault.ts'
import { foundPages } from './found-pages.ts'
import { guardedRequest, type RequestOptions } from './guarded-request.ts'
import type { SearchProvider, SearchRequest, SearchWire } from './search-provider.ts'

/** A provider that is known by its wire, its address and its key. */
export interface SearchAddress {
  readonly wire: SearchWire
  /** Checked, with a slash at its end. */
  readonly base: URL
  /** Empty where the provider takes none. */
  readonly key: string
  /** The variable that holds it, for sentences. */
  readonly keyVariable: string
  readonly rules: UrlRules
}

export interface AskingOptions extends RequestOptions {
  /** The largest answer, bytes. */
  readonly maxBytes: number
  /** For a whole search, ms. */
  readonly timeoutMs: number
}

/** Asks a provider through the guard. Redirects are not followed: a key is sent to nobody but the one it is for. */
export function askingProvider(address: SearchAddress, options: AskingOptions): SearchProvider {
  const { wire } = address
  return {
    name: wire.name,
    async search(query, limit, signal) {
      const time = deadline(signal, options.timeoutMs, 'it was not answered')
      try {
        return await ask(address, query, limit, options, time.signal)
      } catch (error) {
        throw time.signal.aborted ? time.signal.reason : faultOf(error, 'it could not be asked')
      } finally {
        time.done()
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
  const asked = askedOf(wire.request(query, limit, key), base, rules)
  const answer = await guardedRequest(asked, { ...options, trusted: rules.trusted }, signal)
  try {
    if (answer.status !== 200) throw statusFault(answer, address)
    return foundPages(wire.results(parsed(await readBody(answer, options.maxBytes))), limit)
  } finally {
    answer.close()
  }
}

function askedOf({ path, parameters = {}, headers = {}, body }: SearchRequest, base: URL, rules: UrlRules): Asked {
  const url = new URL(path, base)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return {
    url: checkedUrl(url.href, { ...rules, longest: 8000 }),
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

/** Nothing of the answer itself is told: it may repeat the key. */
function statusFault({ status }: Answer, { wire, key, keyVariable }: SearchAddress): FetchFault {
  return new FetchFault('status', `it was answered with ${status}: ${adviceOn(status, wire, key, keyVariable)}`, {
    status,
  })
}

function adviceOn(status: number, wire: SearchWire, key: string, keyVariable: string): string {
  const own = wire.advice?.(status)
  if (own !== undefined) return own
  if (key !== '' && (status === 401 || status === 403)) return `the owner has to check the key in ${keyVariable}`
  if (status === 429 || status === 432 || status === 433) return 'too many searches, or none left; try later'
  if (status >= 300 && status < 400) return 'it sends on to another address, which the owner has to configure'
  return status >= 500 ? 'it has a fault of its own; try later' : 'it does not take the question'
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new FetchFault('broken', 'its answer is no JSON', { cause: error })
  }
}
