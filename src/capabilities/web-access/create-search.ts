import { askingProvider, type AskingOptions, type SearchAddress } from './ask-search.ts'
import { brave } from './brave.ts'
import { checkedUrl, placeOf, type UrlRules } from './checked-url.ts'
import { FetchFault } from './fetch-fault.ts'
import type { SearchConfiguration, SearchProvider, SearchWire } from './search-provider.ts'
import { searxng } from './searxng.ts'
import { tavily } from './tavily.ts'

export interface SearchOptions extends Omit<AskingOptions, 'trusted'> {
  readonly search: SearchConfiguration
  /** `host:port` that the owner trusts, for this alone. */
  readonly allowHosts: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
}

export interface CreatedSearch {
  /** Absent where it could not be asked; a warning then says why. */
  readonly provider?: SearchProvider
  readonly warnings: readonly string[]
}

const wires: Readonly<Record<SearchConfiguration['kind'], SearchWire>> = { searxng, brave, tavily }

/** The configured provider. Asks nobody. */
export function createSearch(options: SearchOptions): CreatedSearch {
  const { search, environment } = options
  const wire = wires[search.kind]
  const hosts = options.allowHosts.map((entry) => ({ entry, place: trustedPlace(entry) }))
  const warnings = hosts
    .filter(({ place }) => place === undefined)
    .map(({ entry }) => `web.allowHosts: ${entry} is no host with its port, such as 127.0.0.1:8888`)
  const rules: UrlRules = { ports: [80, 443], trusted: hosts.flatMap(({ place }) => place ?? []) }
  const place = baseOf(wire, search.baseURL, rules)
  const secret = keyOf(wire, search.apiKeyEnv, environment)
  const faults = [...(typeof place === 'string' ? [place] : []), ...secret.warnings]
  if (typeof place === 'string' || secret.key === undefined) return { warnings: [...warnings, ...faults] }
  const address: SearchAddress = { wire, base: place, key: secret.key, keyVariable: secret.variable, rules }
  return { provider: askingProvider(address, options), warnings: [...warnings, ...faults] }
}

/** `host:port` in the spelling of URLs; `undefined` where it is none. */
function trustedPlace(entry: string): string | undefined {
  if (!/:\d+$/.test(entry) || /[/?#@\\]/.test(entry)) return undefined
  const url = URL.parse(`http://${entry}`)
  return url ? placeOf(url) : undefined
}

/** The checked base URL, or what is wrong with it. */
function baseOf(wire: SearchWire, configured: string | undefined, rules: UrlRules): URL | string {
  const text = configured ?? wire.baseURL
  if (text === undefined) return `web.search.baseURL is missing: ${wire.name} has no usual address`
  try {
    const url = checkedUrl(text, rules)
    if (wire.keyVariable !== undefined && url.protocol === 'http:' && !rules.trusted.includes(placeOf(url))) {
      return 'web.search.baseURL: a key is sent there, so it has to begin with https://'
    }
    if (!url.pathname.endsWith('/')) url.pathname += '/'
    return url
  } catch (error) {
    if (!(error instanceof FetchFault)) throw error
    const url = URL.parse(text)
    const way =
      url?.hostname && url.username === '' && url.password === ''
        ? `; where you trust it, put ${placeOf(url)} into web.allowHosts`
        : ''
    return `web.search.baseURL: ${error.message}${way}`
  }
}

interface FoundKey {
  /** Empty where the provider takes none; absent where it is missing. */
  readonly key?: string
  readonly variable: string
  readonly warnings: readonly string[]
}

function keyOf(
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
