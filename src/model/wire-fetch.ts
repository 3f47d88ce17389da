import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, hash } from 'node:crypto'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import {
  type Clock,
  inSlices,
  largestEvent,
  LONG_TEXT,
  NO_LONGER_NEEDED,
  textChunks,
  timeSlice,
  withTimeout,
} from '../platform.ts'
import type { EventFilter } from '../wire.ts'
import { type RequestChanges, changedBody } from './body-changes.ts'
import { type HeldTexts, heldParts, holdLongTexts } from './held-texts.ts'
import type { WireBody } from './model.ts'

export type Fetch = typeof globalThis.fetch

/** Observes the HTTP traffic of one call. */
interface WireListener {
  /** What is changed in a body before it is sent. */
  readonly changes?: RequestChanges | undefined
  /** Called before a request with this body is sent. A throw prevents the request. */
  readonly left: (wire: WireBody, body: Uint8Array) => void
  /** Called when one event of the answer is too large: the body fails there. */
  readonly onTooLarge: () => void
  /** Called with the filter of the answer, before anything of it is read. */
  readonly onFilter?: (filter: EventFilter) => void
  /** Texts that are put into a body here. */
  readonly held?: HeldTexts
  /** Called where a body had not each mark once, as JSON has it: the call is to be made with the texts themselves. */
  readonly onLostMarks?: () => void
}

/** Keeps the listeners of parallel calls apart. */
const listening = new AsyncLocalStorage<WireListener>()

/** Runs a call. The listener observes every `wireFetch` inside it. */
export function withWireListener<Result>(listener: WireListener, run: () => Result): Result {
  return listening.run(listener, run)
}

/**
 * Whether marks may stand for long texts, which `wireFetch` puts into bodies: not before a call has left over it, and never where a body
 * had them in another way.
 */
export interface MarkUse {
  takesMarks?: boolean
}

/** Makes a call with marks for its long texts, or with the texts themselves where they cannot be put into its body. */
export async function callWithMarks<Result>(
  use: MarkUse,
  call: LanguageModelV4CallOptions,
  run: (call: LanguageModelV4CallOptions) => PromiseLike<Result>,
): Promise<Result> {
  const held = use.takesMarks ? holdLongTexts(call, crypto.randomUUID()) : undefined
  const listener = listening.getStore()
  if (!held || !listener) return run(call)
  let areLost = false
  const onLostMarks = () => void (areLost = true)
  try {
    return await listening.run({ ...listener, held, onLostMarks }, async () => run(held.call))
  } catch (error) {
    if (!areLost) throw error
    use.takesMarks = false
    return run(call)
  }
}

/**
 * A `fetch` that reports each request with a body just before it is sent, and checks the response. It sends the very bytes
 * that it has hashed. Other work runs between the steps over a long body. `filter` is made for each answer that is a stream.
 * Rejects with `UnexpectedAnswer` if a successful response is not a stream of this form.
 */
export function wireFetch(clock: Clock, fetch: Fetch, form?: StreamForm, filter?: () => EventFilter): Fetch {
  return async (input, init) => {
    const given: unknown = init?.body
    if (typeof given !== 'string' && !(given instanceof Uint8Array)) return fetch(input, init)
    const listener = listening.getStore()
    const held = listener?.held
    const isLong = held !== undefined || given.length > LONG_TEXT
    if (isLong) await timeSlice(clock).rest()
    const made =
      typeof given !== 'string'
        ? new Uint8Array(given)
        : held
          ? await encodeHeld(clock, given, { ...listener, held })
          : isLong
            ? await encodeLong(clock, given)
            : encoder.encode(given)
    const body = changedBody(made, listener?.changes)
    const sha256 = isLong ? await hashLong(clock, body) : hash('sha256', body)
    if (isLong) await timeSlice(clock).rest()
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input)
    listener?.left({ sha256, bytes: body.byteLength, url: `${origin}${pathname}` }, body)
    return checkedResponse(await fetch(input, { ...init, body }), { clock, form, filter, listener })
  }
}

const encoder = new TextEncoder()

async function encodeLong(clock: Clock, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(Buffer.byteLength(text))
  let length = 0
  await inSlices(clock, textChunks(text, LONG_TEXT), (part) => {
    length += encoder.encodeInto(part, bytes.subarray(length)).written
  })
  return bytes
}

async function encodeHeld(
  clock: Clock,
  text: string,
  { held, onLostMarks }: WireListener & { readonly held: HeldTexts },
): Promise<Uint8Array<ArrayBuffer>> {
  const parts = heldParts(text, held)
  if (!parts) {
    onLostMarks?.()
    throw new Error('the long texts of the call cannot be put into its body')
  }
  const encoded: Uint8Array[] = []
  await inSlices(clock, parts, (part) => void encoded.push(encoder.encode(part)))
  const bytes = new Uint8Array(encoded.reduce((sum, { length }) => sum + length, 0))
  let length = 0
  await inSlices(clock, encoded, (part) => {
    bytes.set(part, length)
    length += part.length
  })
  return bytes
}

async function hashLong(clock: Clock, bytes: Uint8Array): Promise<string> {
  const sum = createHash('sha256')
  const starts = Array.from({ length: Math.ceil(bytes.length / LONG_TEXT) }, (_, part) => part * LONG_TEXT)
  await inSlices(clock, starts, (at) => sum.update(bytes.subarray(at, at + LONG_TEXT)))
  return sum.digest('hex')
}

/** How a provider streams: server-sent events, or lines of JSON. */
export type StreamForm = 'events' | 'lines'

/** The largest event of a stream, bytes: some providers repeat the whole answer in the last one. */
const LARGEST_EVENT = 16 * 1024 * 1024

/** Bytes that are read of a failure, and of an answer that is not a stream. */
const LARGEST_FAILURE = 64 * 1024

/** How long to wait for the rest of an answer that is not a stream, ms. */
const WORDS_MS = 1_000

interface WatchOptions {
  readonly clock: Clock
  readonly form: StreamForm | undefined
  readonly filter: (() => EventFilter) | undefined
  readonly listener: WireListener | undefined
}

/**
 * Limits a response: an event and a failure have a largest size, and an answer that is not a stream is refused.
 *
 * @throws UnexpectedAnswer
 */
async function checkedResponse(response: Response, { clock, form, filter, listener }: WatchOptions): Promise<Response> {
  const { status, statusText, headers } = response
  if (!response.ok) return new Response(boundedBody(response.body, LARGEST_FAILURE), { status, statusText, headers })
  const contentType = (headers.get('content-type') ?? '').split(';')[0]!.trim()
  if (!response.body) throw new UnexpectedAnswer(contentType, '')

  const reader = response.body.getReader()
  const chunksRead: Uint8Array[] = []
  // `event:` behind whitespace is the longest beginning that decides.
  while (decode(chunksRead).trimStart().length < 6) {
    const { done, value } = await reader.read()
    if (done) break
    chunksRead.push(value)
  }
  if (!isStream(decode(chunksRead), form)) {
    const words = await readExcerpt(clock, reader, chunksRead)
    void reader.cancel().catch(() => {})
    throw new UnexpectedAnswer(contentType, words)
  }
  const events = boundedEvents(reader, chunksRead, form, () => listener?.onTooLarge())
  const made = filter?.()
  if (made) listener?.onFilter?.(made)
  return new Response(made ? filteredEvents(clock, events, made) : events, { status, statusText, headers })
}

function isStream(text: string, form: StreamForm | undefined): boolean {
  const begins = text.trimStart()
  if (begins === '' || begins.startsWith('<')) return false
  if (form === 'events') return /^(?::|data|event|id|retry)/.test(begins)
  return form === 'lines' ? begins.startsWith('{') : true
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>

async function readExcerpt(clock: Clock, reader: Reader, chunksRead: readonly Uint8Array[]): Promise<string> {
  const chunks = [...chunksRead]
  const readRest = async () => {
    while (chunks.reduce((sum, { length }) => sum + length, 0) < LARGEST_FAILURE) {
      const { done, value } = await reader.read()
      if (done) return
      chunks.push(value)
    }
  }
  // The error shows what came before the connection broke.
  await withTimeout(clock, readRest(), WORDS_MS).catch(() => {})
  return decode(chunks).trim()
}

/** The whole stream, with a bound on the size of each event. */
function boundedEvents(
  reader: Reader,
  chunksRead: readonly Uint8Array[],
  form: StreamForm | undefined,
  onTooLarge: () => void,
): ReadableStream<Uint8Array> {
  const size = largestEvent(form)
  const waiting = [...chunksRead]
  return new ReadableStream({
    async pull(controller) {
      const next = waiting.shift()
      const { done, value } = next ? { done: false, value: next } : await reader.read()
      if (done || !value) return controller.close()
      if (size(value) <= LARGEST_EVENT) return controller.enqueue(value)
      onTooLarge()
      void reader.cancel().catch(() => {})
      controller.error(new Error('one event of the stream is too large'))
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** How long the rest of an answer may take once its provider has said why it ends, ms: usage comes last. */
const LAST_WORDS_MS = 5_000

/** The end of an answer is what its provider says, not what the connection does after that. */
function filteredEvents(
  clock: Clock,
  events: ReadableStream<Uint8Array>,
  filter: EventFilter,
): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder()
  const reader = events.getReader()
  const isOver = { done: true as const, value: undefined }
  const read = async () => {
    if (!filter.hasReason()) return reader.read()
    return withTimeout(clock, reader.read(), LAST_WORDS_MS, { error: () => new Error('no last words') }).catch(
      () => isOver,
    )
  }
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        const { done, value } = await read()
        // The last event of a stream may have no blank line behind it.
        const text = filter.next(done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true }))
        if (text !== '') controller.enqueue(encoder.encode(text))
        if (done || filter.isOver()) {
          const rest = filter.end()
          if (rest !== '') controller.enqueue(encoder.encode(rest))
          controller.close()
          void reader.cancel(NO_LONGER_NEEDED).catch(() => {})
          return
        }
        if (text !== '') return
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

function boundedBody(body: Response['body'], mostBytes: number): ReadableStream<Uint8Array> | null {
  if (!body) return null
  const reader = body.getReader()
  let left = mostBytes
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (!done) controller.enqueue(value.subarray(0, left))
      left -= value?.length ?? 0
      if (!done && left > 0) return
      void reader.cancel().catch(() => {})
      controller.close()
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

function decode(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString('utf8')
}

/** A successful response that is not a stream of a model: a web page, a document, or nothing. For `provider-failure.ts` alone. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
  /** Content type without parameters; empty if there is none. */
  readonly contentType: string
  /** The beginning of the body; empty if there is none. */
  readonly responseBody: string

  constructor(contentType: string, responseBody: string) {
    super('the answer is not a stream')
    this.contentType = contentType
    this.responseBody = responseBody
  }
}

/** Finds an `UnexpectedAnswer` in a chain of causes. */
export function findUnexpectedAnswer(error: unknown): UnexpectedAnswer | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (at instanceof UnexpectedAnswer) return at
  }
  return undefined
}
