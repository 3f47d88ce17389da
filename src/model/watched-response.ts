import { eventSize } from '../platform.ts'
import { UnexpectedAnswer } from './unexpected-answer.ts'

/** How a provider streams: server-sent events, or lines of JSON. */
export type StreamForm = 'events' | 'lines'

/** One event of a stream holds a few characters; at its end some providers repeat the whole answer. Bytes. */
const LARGEST_EVENT = 16 * 1024 * 1024

/** What is read of an answer that is no stream, to say what came; and of one whose status means failure. Bytes. */
const LARGEST_FAILURE = 64 * 1024

/** How long the rest of the first words may take to come, ms. */
const WORDS_MS = 1_000

export interface WatchOptions {
  readonly form: StreamForm | undefined
  /** Called before the body fails because one event of it is too large. */
  readonly onTooLarge: () => void
}

/**
 * A response that can be handed on without fear: one that is no stream is refused with its first words, one event is
 * bounded, and so is what a failure says. Throws `UnexpectedAnswer`.
 */
export async function watchedResponse(response: Response, { form, onTooLarge }: WatchOptions): Promise<Response> {
  const { status, statusText, headers } = response
  if (!response.ok) return new Response(bounded(response.body, LARGEST_FAILURE), { status, statusText, headers })
  const contentType = (headers.get('content-type') ?? '').split(';')[0]!.trim()
  if (!response.body) throw new UnexpectedAnswer(contentType, '')

  const reader = response.body.getReader()
  const begun: Uint8Array[] = []
  while (!isDecided(begun)) {
    const { done, value } = await reader.read()
    if (done) break
    begun.push(value)
  }
  if (!isStream(textOf(begun), form)) {
    const words = await firstWords(reader, begun)
    void reader.cancel().catch(() => {})
    throw new UnexpectedAnswer(contentType, words)
  }
  return new Response(watched(reader, begun, form, onTooLarge), { status, statusText, headers })
}

/** The longest beginning that has to be seen: `event:` behind white space. */
function isDecided(chunks: readonly Uint8Array[]): boolean {
  return beginning(textOf(chunks)).length >= 6
}

function isStream(text: string, form: StreamForm | undefined): boolean {
  const begins = beginning(text)
  if (begins === '' || begins.startsWith('<')) return false
  if (form === 'events') return /^(?::|data|event|id|retry)/.test(begins)
  return form === 'lines' ? begins.startsWith('{') : true
}

function beginning(text: string): string {
  return text.replace(/^\uFEFF/, '').trimStart()
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>

async function firstWords(reader: Reader, begun: readonly Uint8Array[]): Promise<string> {
  const chunks = [...begun]
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(), WORDS_MS)
  const over = new Promise<undefined>((resolve) => ending.signal.addEventListener('abort', () => resolve(undefined)))
  try {
    for (let bytes = sizeOf(chunks); bytes < LARGEST_FAILURE; bytes = sizeOf(chunks)) {
      const read = await Promise.race([reader.read(), over])
      if (!read || read.done) break
      chunks.push(read.value)
    }
  } catch {
    // What came before the break is what can be told.
  } finally {
    clearTimeout(timer)
  }
  return beginning(textOf(chunks)).trimEnd()
}

/** The rest of a stream behind what was looked at, event by event no larger than it may be. */
function watched(
  reader: Reader,
  begun: readonly Uint8Array[],
  form: StreamForm | undefined,
  onTooLarge: () => void,
): ReadableStream<Uint8Array> {
  const size = eventSize(form)
  const waiting = [...begun]
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

function bounded(body: Response['body'], mostBytes: number): ReadableStream<Uint8Array> | null {
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

function sizeOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0)
}

function textOf(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString('utf8')
}
