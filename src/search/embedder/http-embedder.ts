import { answerText, type Clock, defined, redactSecrets, decodeUrlPart, fieldsOf, parseJson } from '../../platform.ts'
import type { Embedder } from '../search-engine.ts'
import { SearchError } from '../search-error.ts'
import { checkedVectors, embedderName } from './vectors.ts'

/** An embedding model behind an HTTP service. */
export interface EmbeddingService {
  /** The address of the service, up to the path of its API. */
  readonly baseURL: string
  /** The service's own name of the model. */
  readonly model: string
  /** Sent as `Authorization: Bearer`. */
  readonly apiKey?: string
  /** Length of the vectors, for models that can choose it. */
  readonly dimensions?: number
  /** Texts that the model expects before a passage and before a question, such as `search_query: `. */
  readonly prefixes?: EmbeddingPrefixes
  /** The most texts of one call. 32 unless given. */
  readonly batch?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly fetch?: typeof globalThis.fetch
}

/** The API of a service: its path, and how its JSON is written and read. */
export interface EmbeddingWire {
  /** The first part of the embedder's id. */
  readonly kind: string
  /** Below `baseURL`. */
  readonly path: string
  body(input: readonly string[], service: EmbeddingService): object
  /** The vectors of an answer, in the order of the texts. They are checked afterwards. */
  vectors(answer: unknown): unknown
}

export const DEFAULT_BATCH = 32

/** An embedder that calls a service over HTTP. Its errors are `SearchError`s with the code `embedding`, without secrets. */
export function httpEmbedder(service: EmbeddingService, wire: EmbeddingWire): Embedder {
  const { baseURL, apiKey, dimensions, batch = DEFAULT_BATCH, clock, fetch = globalThis.fetch } = service
  const headers = { ...(apiKey && { authorization: `Bearer ${apiKey}` }), ...service.headers }
  const id = embedderId(wire.kind, service)
  const embedder = embedderName(id)
  return {
    id,
    batch,
    async embed(texts, { kind, signal }) {
      if (texts.length === 0) return []
      const prefix = service.prefixes?.[kind] ?? ''
      const input = texts.map((text) => `${prefix}${text}`)
      const answer = await post({
        embedder,
        url: `${baseURL.replace(/\/+$/, '')}${wire.path}`,
        body: wire.body(input, service),
        headers,
        secrets: secretsIn(baseURL, headers),
        clock,
        fetch,
        signal,
      })
      return checkedVectors(embedder, wire.vectors(answer), texts.length, dimensions)
    },
  }
}

/** Everything that changes a vector is part of the id. The address of the service is not. */
function embedderId(kind: string, { model, dimensions, prefixes }: EmbeddingService): string {
  const chosen = defined({ dimensions, prefixes })
  return `${kind}/${model}${Object.keys(chosen).length === 0 ? '' : ` ${JSON.stringify(chosen)}`}`
}

/** Secrets that an error must not contain: values of headers, and the credentials and query of an address. */
function secretsIn(baseURL: string, headers: Readonly<Record<string, string>>): readonly string[] {
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^\w+\s+/, '')])
  if (!URL.canParse(baseURL)) return values
  const { username, password, searchParams } = new URL(baseURL)
  return [...values, decodeUrlPart(username), decodeUrlPart(password), ...searchParams.values()].filter(
    (value) => value !== '',
  )
}

interface EmbeddingRequest {
  readonly embedder: string
  readonly url: string
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly clock: Clock
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal | undefined
}

/** Posts a request and returns the JSON of the answer. A busy or failing service is asked once more, after its `Retry-After`. */
async function post(request: EmbeddingRequest): Promise<unknown> {
  const first = await send(request)
  if (!isTemporary(first.status)) return readJson(request, first)
  await first.body?.cancel()
  await request.clock.sleep(retryDelay(first), request.signal)
  request.signal?.throwIfAborted()
  return readJson(request, await send(request))
}

async function send({ embedder, url, body, headers, secrets, fetch, signal }: EmbeddingRequest): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      // Headers with secrets are for this address and no other.
      redirect: 'manual',
      ...defined({ signal }),
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw new SearchError(
      'embedding',
      `${embedder} cannot be reached (${redactSecrets(describeCause(error), secrets)}): check its baseURL, and that it runs`,
    )
  }
}

async function readJson({ embedder, secrets, signal }: EmbeddingRequest, response: Response): Promise<unknown> {
  const text = await answerText(response, LARGEST_ANSWER).catch((error: unknown) => {
    signal?.throwIfAborted()
    throw new SearchError(
      'embedding',
      `${embedder} broke off its answer (${redactSecrets(describeCause(error), secrets)})`,
    )
  })
  if (!response.ok) throw statusError(embedder, response.status, redactSecrets(errorIn(text), secrets))
  const answer = parseJson(text)
  if (answer === undefined) throw new SearchError('embedding', `${embedder} returned invalid JSON: check its baseURL`)
  return answer
}

/** Of one batch of vectors, bytes. */
const LARGEST_ANSWER = 64 * 1024 * 1024

function statusError(embedder: string, status: number, reason: string): SearchError {
  const advice = ADVICE[status] ?? (status >= 300 && status < 400 ? 'it has moved: name its new baseURL' : undefined)
  const message = `${embedder} answered HTTP ${status}${reason ? `, ${reason}` : ''}${advice ? `: ${advice}` : ''}`
  return new SearchError('embedding', message, { status })
}

const ADVICE: Readonly<Record<number, string>> = {
  401: 'check its API key',
  403: 'check the permissions of its API key',
  404: 'check its baseURL and the name of the model',
  429: 'try later',
}

/** Services put it under `error`: a text, or an object with `message`. */
function errorIn(text: string): string {
  const { error } = fieldsOf(parseJson(text))
  if (typeof error === 'string') return error
  const { message } = fieldsOf(error)
  return typeof message === 'string' ? message : ''
}

/** Whether the same request may succeed the next time. */
export function isTemporary(status: number | undefined): boolean {
  return status !== undefined && (status === 429 || status >= 500)
}

export const RETRY_MS = 250
const LONGEST_RETRY_MS = 10_000

function retryDelay(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Math.min(Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : RETRY_MS, LONGEST_RETRY_MS)
}

/** `fetch failed` names no cause; the error's own cause does. */
function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}

/** Texts that an embedding model expects before a passage and before a question. */
interface EmbeddingPrefixes {
  readonly document: string
  readonly query: string
}

/**
 * The prefixes that the authors of a well-known model document, by the model's name in the spelling of any server
 * (`nomic-embed-text:v1.5`, `intfloat/multilingual-e5-large`). `undefined` if a model needs none or is not known.
 */
export function knownPrefixes(model: string): EmbeddingPrefixes | undefined {
  const name = model.toLowerCase().replace(/:.*$/, '').split('/').at(-1)!
  return known.find(({ pattern }) => pattern.test(name))?.prefixes
}

const represent = 'Represent this sentence for searching relevant passages: '
const instruct = 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: '

/** The first pattern that matches counts. */
const known: readonly { readonly pattern: RegExp; readonly prefixes: EmbeddingPrefixes }[] = [
  { pattern: /^nomic-embed-text/, prefixes: { document: 'search_document: ', query: 'search_query: ' } },
  { pattern: /^mxbai-embed-/, prefixes: { document: '', query: represent } },
  { pattern: /^snowflake-arctic-embed(2|-.*v2)/, prefixes: { document: '', query: 'query: ' } },
  { pattern: /^snowflake-arctic-embed/, prefixes: { document: '', query: represent } },
  { pattern: /^bge-(small|base|large)-en/, prefixes: { document: '', query: represent } },
  {
    pattern: /^(multilingual-)?e5-.*instruct|^e5-mistral|^qwen3-embedding/,
    prefixes: { document: '', query: instruct },
  },
  { pattern: /^(multilingual-)?e5-/, prefixes: { document: 'passage: ', query: 'query: ' } },
  {
    pattern: /^embeddinggemma/,
    prefixes: { document: 'title: none | text: ', query: 'task: search result | query: ' },
  },
]

/** A kind of embedding service that a capability contributes. `search.embedding.kind` of `config.json` chooses one. */
export interface EmbedderKind {
  /** Unique, such as `ollama`. */
  readonly kind: string
  /** The kind has no usual address: `search.embedding.baseURL` is required. */
  readonly needsBaseURL?: true
  /** Opens the embedder of one model. Sends no request. */
  open(settings: EmbedderSettings): Embedder | Promise<Embedder>
}

/** What is configured about an embedding model. `baseURL` is there where the kind requires it. */
export interface EmbedderSettings extends Pick<
  EmbeddingService,
  'model' | 'apiKey' | 'dimensions' | 'prefixes' | 'clock'
> {
  readonly baseURL?: string
  readonly environment: Readonly<Record<string, string | undefined>>
}
