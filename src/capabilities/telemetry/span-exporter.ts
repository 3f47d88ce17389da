import {
  type Clock,
  createActivity,
  errorMessage,
  publicAddress,
  redactData,
  redactSecrets,
  settlesWithin,
} from '../../platform.ts'
import { countedText, exactLine } from '../../context.ts'
import type { Collector } from './collector.ts'
import type { Span, AttributeValue, Attributes } from './conventions.ts'

/** Sends spans to a collector, beside everything else: nothing waits for it, and nothing fails by it. */
export type SpanExporter = ReturnType<typeof createSpanExporter>

interface ExporterParts {
  readonly collector: Collector
  readonly source: SpanSource
  readonly clock: Clock
  readonly redact: (text: string) => string
  readonly warn: (text: string) => void
}

/** Spans that may wait, and the size of their texts together, characters. */
const MOST_WAITING = 2_048
const LARGEST_QUEUE = 32_000_000
/** Of one export. */
const MOST_IN_BATCH = 512
const LARGEST_BATCH = 2_000_000
const REQUEST_MS = 10_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** What of an answer is read, bytes. */
const LARGEST_ANSWER = 65_536
/** What of it is shown, characters. */
const LONGEST_PROBLEM = 500
/** Statuses after which the same export is tried again, as OTLP has it. */
const PASSING = new Set([429, 502, 503, 504])

type Sent =
  /** `rejected`: spans that the collector did not take, with its reason. */
  | { readonly type: 'sent'; readonly rejected: number; readonly problem?: string }
  | { readonly type: 'refused'; readonly problem: string }
  | { readonly type: 'too-large'; readonly problem: string }
  | { readonly type: 'later'; readonly problem: string; readonly waitMs?: number }

export function createSpanExporter({ collector, source, clock, redact, warn }: ExporterParts) {
  const { url, headers } = collector
  const waiting: { readonly span: Span; readonly size: number }[] = []
  const ending = new AbortController()
  const over = new AbortController()
  let size = 0
  let most = MOST_IN_BATCH
  let exported = 0
  let lost = 0
  let problem: string | undefined
  let hasWarned = false
  let sending: Promise<void> | undefined
  const activity = createActivity()

  function add(spans: readonly Span[]): void {
    // The name of a model or a program may be whatever a caller has sent.
    for (const span of spans.map((each) => redactData(each, redact))) {
      const texts = Object.values(span.attributes).map((value) => (typeof value === 'string' ? value.length : 20))
      const own = texts.reduce((sum, length) => sum + length + 60, 300)
      if (ending.signal.aborted || waiting.length >= MOST_WAITING || size + own > LARGEST_QUEUE) lost += 1
      else {
        waiting.push({ span, size: own })
        size += own
      }
    }
    begin()
  }

  function begin(): void {
    if (waiting.length === 0) return
    sending ??= activity.run(undefined, send()).finally(() => {
      sending = undefined
      if (!ending.signal.aborted) begin()
    })
  }

  async function send(): Promise<void> {
    let waitMs = FIRST_WAIT_MS
    while (waiting.length > 0 && !over.signal.aborted) {
      const batch = nextBatch()
      const isLast = ending.signal.aborted
      const sent = await post(otlpJson(batch, source))
      note(sent.problem)
      if (sent.type === 'later') {
        if (isLast) return
        await activity.rest(undefined, clock.sleep(sent.waitMs ?? waitMs, ending.signal, { idle: true }))
        waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
        continue
      }
      if (sent.type === 'too-large' && batch.length > 1) {
        most = Math.ceil(batch.length / 2)
        continue
      }
      waitMs = FIRST_WAIT_MS
      for (const gone of waiting.splice(0, batch.length)) size -= gone.size
      const rejected = sent.type === 'sent' ? Math.min(sent.rejected, batch.length) : batch.length
      exported += batch.length - rejected
      lost += rejected
    }
  }

  function nextBatch(): readonly Span[] {
    let room = LARGEST_BATCH
    const fitting = waiting.slice(0, most).findIndex((each) => (room -= each.size) < 0)
    const count = fitting < 0 ? most : Math.max(1, fitting)
    return waiting.slice(0, count).map(({ span }) => span)
  }

  async function post(body: string): Promise<Sent> {
    try {
      const signal = AbortSignal.any([clock.timeoutSignal(REQUEST_MS), over.signal])
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal,
        // The headers are for this address alone.
        redirect: 'manual',
      })
      return await answered(response)
    } catch (error) {
      const cause = (error as { readonly cause?: unknown }).cause
      return { type: 'later', problem: `does not answer: ${errorMessage(cause ?? error)}` }
    }
  }

  function note(said: string | undefined): void {
    const clean =
      said && exactLine(redactSecrets(said, Object.values(headers)).slice(0, LONGEST_PROBLEM).toWellFormed())
    const sentence = clean && `the collector at ${publicAddress(url)} ${clean}`
    problem = sentence
    if (sentence === undefined || hasWarned) return
    hasWarned = true
    warn(`Telemetry: ${sentence}. At most ${MOST_WAITING} spans wait; turns go on.`)
  }

  return {
    add,

    /** `undefined` while it works. */
    problem: () => problem,
    idle: activity.idle,
    counts: () => ({ waiting: waiting.length, exported, lost }),

    /** Tries once more to send what waits, for at most so many milliseconds, and ends. Never rejects. */
    async close(milliseconds: number): Promise<void> {
      ending.abort()
      const rest = async (): Promise<void> => {
        await sending
        await send()
      }
      await settlesWithin(clock, rest(), milliseconds)
      over.abort()
      lost += waiting.length
      waiting.length = 0
    },
  }
}

async function answered(response: Response): Promise<Sent> {
  const { status } = response
  const text = await beginningOf(response)
  if (response.ok) return partialSuccess(text)
  const problem = `answers ${status}${text === '' ? '' : `: ${text}`}`
  if (status === 413) return { type: 'too-large', problem }
  if (!PASSING.has(status)) return { type: 'refused', problem }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const waitMs = seconds >= 0 ? { waitMs: Math.min(seconds * 1_000, LONGEST_WAIT_MS) } : {}
  return { type: 'later', problem, ...waitMs }
}

/** A collector may take some spans and not others: then it says how many, and why. */
function partialSuccess(text: string): Sent {
  const { rejectedSpans, errorMessage: why } = rejectionIn(text)
  const rejected = Number(rejectedSpans ?? 0)
  if (!(rejected > 0)) return { type: 'sent', rejected: 0 }
  return {
    type: 'sent',
    rejected,
    problem: `did not take ${countedText(rejected, 'span')}: ${typeof why === 'string' && why !== '' ? why : 'no reason is given'}`,
  }
}

function rejectionIn(text: string): { readonly rejectedSpans?: unknown; readonly errorMessage?: unknown } {
  try {
    return (JSON.parse(text) as { partialSuccess?: object } | null)?.partialSuccess ?? {}
  } catch {
    return {}
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length >= LARGEST_ANSWER) break
  }
  return text
}

interface SpanSource {
  readonly service: string
  readonly version: string
  readonly schemaUrl: string
}

/** `ExportTraceServiceRequest` in the JSON mapping of OTLP 1.x: ids are hexadecimal, and 64-bit integers are texts. */
function otlpJson(spans: readonly Span[], { service, version, schemaUrl }: SpanSource): string {
  const resource = { 'service.name': service, 'service.version': version, 'telemetry.sdk.name': 'foreword' }
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: 'foreword', version }, spans: spans.map(spanJson), schemaUrl }],
        schemaUrl,
      },
    ],
  })
}

const KINDS = { internal: 1, client: 3 } as const
const FAILED = 2

function spanJson({ traceId, spanId, parentSpanId, name, kind, start, end, attributes, failure }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(Math.max(start, end)),
    attributes: keyValues(attributes),
    ...(failure && { status: { code: FAILED, ...failure } }),
  }
}

/** Exact: the number of nanoseconds since 1970 is larger than a number can hold. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n)
}

function keyValues(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueJson(value) }],
  )
}

function valueJson(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  }
  return { arrayValue: { values: value.map(valueJson) } }
}
