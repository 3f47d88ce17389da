import { readFile } from 'node:fs/promises'
import { answerText, type Clock, LONG_TEXT, publicAddress } from '../platform.ts'
import {
  catalogNames,
  type Environment,
  type ListedModel,
  type Provider,
  type ProviderConfiguration,
  type ProviderConnection,
} from './provider.ts'
import { ModelError } from './model-error.ts'
import type { Fetch } from './wire-fetch.ts'

/** A connection and the provider that made it. */
export interface Connected {
  readonly provider: Provider
  readonly connection: ProviderConnection
}

/** Timeout of requests about models, ms. */
export const QUESTION_MS = 2000

interface ConnectionOptions {
  readonly environment: Environment
  readonly fetch: Fetch
  readonly clock: Clock
}

export function connectProvider(
  provider: Provider,
  name: string,
  configuration: ProviderConfiguration,
  options: ConnectionOptions,
): ProviderConnection {
  const { environment, clock } = options
  const { headers } = configuration
  const fetch = withinHost(options.fetch, name)
  const { baseURL, problem } = readAddress(provider, name, configuration, environment)
  const connection: ProviderConnection = {
    name,
    configuration,
    baseURL,
    official: problem === undefined && baseURL === (provider.baseURL ?? ''),
    environment,
    fetch,
    clock,
    async key() {
      if (problem) throw problem
      return readConfiguredKey(provider, connection)
    },
    async ask(path, milliseconds, body) {
      const apiKey = await connection.key()
      const response = await fetch(`${baseURL}${path}`, {
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(apiKey && { authorization: `Bearer ${apiKey}` }),
          ...headers,
        },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        signal: clock.timeoutSignal(milliseconds),
      })
      return JSON.parse(await answerText(await expectOk(response), LARGEST_ANSWER)) as unknown
    },
  }
  return connection
}

/** The models that a provider lists, or those of its catalog. Rejects with the failure of the server or the network. */
export async function listProviderModels(
  { provider, connection }: Connected,
  milliseconds = QUESTION_MS,
): Promise<readonly ListedModel[]> {
  return provider.list ? provider.list(connection, milliseconds) : catalogNames(provider.catalog ?? [])
}

/** Redirects of one request that are followed. */
const MOST_REDIRECTS = 5

/** Follows redirects within one host only: keys and prompts are for the server that the configuration names. */
function withinHost(fetch: Fetch, provider: string): Fetch {
  return async (input, init) => {
    let url = new URL(input instanceof Request ? input.url : input)
    for (let followed = 0; ; followed += 1) {
      const response = await fetch(followed === 0 ? input : url.href, { ...inParts(init), redirect: 'manual' })
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
      if (location === null) return response
      void response.body?.cancel().catch(() => {})
      const next = new URL(location, url)
      const isPlainer = url.protocol === 'https:' && next.protocol !== 'https:'
      if (next.host !== url.host || isPlainer || followed === MOST_REDIRECTS) {
        const message =
          `${provider} redirects to ${publicAddress(next.origin)}, where neither the key nor the request is sent. ` +
          `If that is the right server, set providers.${provider}.baseURL to it.`
        throw new ModelError('bad-request', message, { provider, model: '' })
      }
      url = next
    }
  }
}

/** Bytes. A shorter body is sent as it is. */
const SENT_WHOLE = 1_000_000

/** A long body as a stream of its parts and with its length: `fetch` would copy it twice in one piece of work. */
function inParts(init: RequestInit | undefined): RequestInit | undefined {
  const body: unknown = init?.body
  if (!(body instanceof Uint8Array) || body.length <= SENT_WHOLE) return init
  const parts = function* () {
    for (let at = 0; at < body.length; at += LONG_TEXT) yield body.subarray(at, at + LONG_TEXT)
  }
  const headers = new Headers(init?.headers)
  headers.set('content-length', String(body.length))
  // The types of a browser, which the page is checked with, know neither.
  const { from } = ReadableStream as unknown as { from(parts: Iterable<Uint8Array>): ReadableStream<Uint8Array> }
  const half = { duplex: 'half' as const }
  return { ...init, ...half, headers, body: from(parts()) }
}

/** An invalid address is an error only if its provider is used: the others still work. */
function readAddress(
  provider: Provider,
  name: string,
  configuration: ProviderConfiguration,
  environment: Environment,
): { readonly baseURL: string; readonly problem?: ModelError } {
  const { baseURLVariable, readBaseURL = versionedURL } = provider
  if (provider.connects === false) return { baseURL: '' }
  const example = 'such as "http://127.0.0.1:1234/v1"'
  const problem = (message: string) => new ModelError('bad-request', message, { provider: name, model: '' })
  const given = configuration.baseURL ?? (baseURLVariable === undefined ? undefined : environment[baseURLVariable])
  if (given === undefined) {
    if (provider.needsBaseURL) return { baseURL: '', problem: problem(`providers.${name} needs a baseURL, ${example}`) }
    return { baseURL: provider.baseURL ?? '' }
  }
  try {
    return { baseURL: readBaseURL(given) }
  } catch {
    return { baseURL: '', problem: problem(`providers.${name} has an invalid address: write it ${example}`) }
  }
}

/** An address without a trailing slash. An address without a path gets `/v1`. */
function versionedURL(address: string): string {
  const url = new URL(address)
  return url.pathname === '/' ? `${url.origin}/v1` : address.replace(/\/+$/, '')
}

async function readConfiguredKey(
  { kind, environmentKeys = [] }: Provider,
  { name, configuration, official, environment }: ProviderConnection,
): Promise<string | undefined> {
  const { apiKeyEnv, apiKeyFile } = configuration
  const failure = (message: string) => new ModelError('auth', message, { provider: name, model: '' })
  if (apiKeyFile !== undefined) {
    const key = await readFile(apiKeyFile, 'utf8').catch(() => undefined)
    if (key !== undefined) return key.trim()
    throw failure(`Cannot read the key of ${name} from ${apiKeyFile}. Check providers.${name}.apiKeyFile.`)
  }
  const variables = apiKeyEnv !== undefined ? [apiKeyEnv] : official || name === kind ? environmentKeys : []
  const key = variables.map((variable) => environment[variable]).find(Boolean)
  if (key) return key
  if (apiKeyEnv === undefined && !(official && environmentKeys.length > 0)) return undefined
  throw failure(
    `${name} needs a key: set ${variables.join(' or ')}, or providers.${name} in config.json to ` +
      `{"kind": "${kind}", "apiKeyFile": "PATH"}`,
  )
}

/** Of vectors, of what a provider says of its models, or of a failure, bytes. */
const LARGEST_ANSWER = 64 * 1024 * 1024

/** An HTTP response with a failure status. Internal to providers: `modelErrorOf` turns it into a `ModelError`. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError'
  readonly statusCode: number
  readonly responseBody: string
  readonly responseHeaders: Readonly<Record<string, string>>

  constructor(statusCode: number, responseBody: string, responseHeaders: Readonly<Record<string, string>>) {
    super(`HTTP ${statusCode}`)
    this.statusCode = statusCode
    this.responseBody = responseBody
    this.responseHeaders = responseHeaders
  }
}

/** The response, if it was successful. @throws ResponseError */
export async function expectOk(response: Response): Promise<Response> {
  if (response.ok) return response
  const body = await answerText(response, LARGEST_ANSWER).catch(() => '')
  throw new ResponseError(response.status, body, Object.fromEntries(response.headers))
}
