import { callPrice, type CapabilityHost, type Runtime, type RequestView } from '../../capability.ts'
import { defined, errorMessage, serialQueue, settlesWithin, parseTraceparent } from '../../platform.ts'
import type { CallRecord, Entry } from '../../session.ts'
import { callSpan, type CallSpanFacts, tracePlace, turnSpans } from './turn-spans.ts'
import { collectorOf, serviceName } from './collector.ts'
import { conventions, exportedId, traceIdOf, type Conventions, type Attributes } from './conventions.ts'
import { createSpanExporter, type SpanExporter } from './span-exporter.ts'
import type { TelemetrySettings } from './telemetry-settings.ts'
import { type AnyMessage, messageReasoning, messageText, outputText, toolCalls, toolResults } from '../../context.ts'

/** Spans of what this process does, on their way to a collector. */
export interface Telemetry extends Pick<SpanExporter, 'counts' | 'problem'> {
  /** Resolves once what has ended has arrived, or waits for its next try; `undefined`: all of it. */
  idle(): Promise<void> | undefined
  /** Sends what waits, within three seconds. */
  stop(): Promise<void>
}

/** Turns and calls that wait to become spans. */
const MOST_UNREAD = 1_000
/** Calls whose turn exports them. */
const MOST_ANNOUNCED = 10_000
const STOP_MS = 3_000

/**
 * Watches the log and the ledger. A turn is exported when its end is on disk, so an interrupted one is exported once
 * and whole, by the process that ends it. Other calls are exported when their outcome is on disk. Throws where there
 * is no address.
 */
export function openTelemetry(host: CapabilityHost<TelemetrySettings>): Telemetry {
  const { settings, store, clock, version, warn } = host
  const names = conventions[settings.conventions]
  const exporter = createSpanExporter({
    collector: collectorOf(host),
    source: { service: serviceName(host), version, schemaUrl: names.schemaUrl },
    clock,
    redact: host.redact,
    warn,
  })
  const reading = serialQueue()
  const announced = new Set<string>()
  let unread = 0
  let fault: string | undefined

  const stopEntries = store.watch((entries) => {
    for (const entry of entries) {
      if (entry.type === 'assembly') announce(entry.call)
      if (entry.type === 'turn-end') later(() => exportTurn(entry.session, entry.turn))
    }
  })
  const stopCalls = store.watchCalls((call) => {
    if (!announced.delete(call)) later(() => exportCall(call))
  })

  function announce(call: string): void {
    announced.add(call)
    if (announced.size > MOST_ANNOUNCED) announced.delete(announced.values().next().value!)
  }

  function later(work: () => Promise<void>): void {
    if (unread >= MOST_UNREAD) return
    unread += 1
    void reading.add(async () => {
      try {
        await work()
      } catch (error) {
        fault ??= `a turn or a call could not be exported: ${errorMessage(error)}`
      } finally {
        unread -= 1
      }
    })
  }

  async function exportTurn(session: string, turn: string): Promise<void> {
    const entries = await store.entries(session, { turn })
    const calls: CallSpanFacts[] = []
    for (const entry of entries) {
      if (entry.type !== 'assembly') continue
      announced.delete(entry.call)
      const record = await store.call(entry.call)
      if (record) calls.push(await endedCall(host, record, entries))
    }
    const agent = (await store.session(session))?.choices['agent']
    const outcome = entries.findLast((entry) => entry.type === 'turn-end')
    const failure =
      settings.content && outcome?.type === 'turn-end' && outcome.outcome.type === 'failed'
        ? host.redact(outcome.outcome.message)
        : undefined
    const toolContent = settings.content ? toolContents(entries, names, host.redact) : undefined
    exporter.add(turnSpans({ entries, calls, version, ...defined({ agent, toolContent, failure }) }, names))
  }

  /** A call outside every turn. */
  async function exportCall(id: string): Promise<void> {
    const record = await store.call(id)
    // What another program sends to any other path, such as a list of models, is no call to a model.
    if (!record || (record.kind === 'foreign' && record.requestDigest === '')) return
    const { session, turn } = record
    const call = await endedCall(host, record, [])
    const input =
      session === undefined || turn === undefined
        ? undefined
        : (await store.entries(session, { turn, types: ['input'], limit: 1 }))[0]
    if (input?.type !== 'input') {
      const came = record.foreign?.trace === undefined ? undefined : parseTraceparent(record.foreign.trace)
      // A program whose trace is not recorded has no span here, either.
      if (came?.sampled === false) return
      const traceId = session === undefined || turn === undefined ? traceIdOf(id) : traceIdOf(session, turn)
      return exporter.add([callSpan(call, came ?? { traceId }, names)])
    }
    const place = tracePlace(input)
    if (place) exporter.add([callSpan(call, place.own, names)])
  }

  return {
    counts: exporter.counts,
    problem: () => exporter.problem() ?? fault,
    idle: () => reading.idle() ?? exporter.idle(),
    async stop() {
      stopEntries()
      stopCalls()
      const until = clock.monotonic() + STOP_MS
      await settlesWithin(clock, Promise.resolve(reading.idle()), STOP_MS)
      await exporter.close(Math.max(100, until - clock.monotonic()))
    },
  }
}

/** With its price and, where content is exported, with its words. */
async function endedCall(
  { runtime, settings, redact }: CapabilityHost<TelemetrySettings>,
  record: CallRecord,
  entries: readonly Entry[],
): Promise<CallSpanFacts> {
  const { id, outcome } = record
  const price = await callPrice(runtime, record)
  const used = entries.find((entry) => entry.type === 'usage' && entry.call === id)
  const known = { record, ...defined({ price, endedAt: used && Date.parse(used.time) }) }
  if (!settings.content) return known
  const names = conventions[settings.conventions]
  const answer = entries.find(
    (entry) => entry.type === 'message' && entry.call === id && entry.message.role === 'assistant',
  )
  const request = names.content && (await requestOf(runtime, id))
  const message = answer?.type === 'message' ? answer.message : undefined
  const content = callContent(request, message, outcome?.finish, names, redact)
  return { ...known, content, ...defined({ failure: outcome?.error && redact(outcome.error.message) }) }
}

/** What a call was sent cannot always be built again: its files may be gone. */
async function requestOf(runtime: Runtime, call: string) {
  try {
    return (await runtime.request(call)).request
  } catch {
    return undefined
  }
}

/** Takes the secrets that are known out of a text. */
type Redact = (text: string) => string

/** The most characters of one text, and of all texts of one attribute. */
const LONGEST_TEXT = 20_000
const LONGEST_CONTENT = 200_000

/** What a call was sent and answered, as JSON in the shapes of the conventions. Where there is too much, the newest stays. */
function callContent(
  request: RequestView | undefined,
  answer: AnyMessage | undefined,
  finish: string | undefined,
  { content: names }: Conventions,
  redact: Redact,
): Attributes {
  if (!names) return {}
  const system = request?.system
  return {
    [names.system]: system === undefined ? undefined : json([{ type: 'text', content: system }], redact),
    [names.input]: request && newest(request.messages.map((message) => json(messageParts(message), redact))),
    [names.output]: answer && json([{ ...messageParts(answer), finish_reason: finish ?? 'unknown' }], redact),
  }
}

function toolContents(
  entries: readonly Entry[],
  { content: names }: Conventions,
  redact: Redact,
): ReadonlyMap<string, Attributes> {
  if (!names) return new Map()
  const found = new Map<string, Attributes>()
  for (const entry of entries) {
    if (entry.type === 'message') {
      for (const { toolCallId, input } of toolCalls(entry.message)) {
        found.set(toolCallId, { [names.toolInput]: json(input, redact) })
      }
    } else if (entry.type === 'tool-end') {
      const result = shortened(redact(entry.output))
      found.set(entry.toolCallId, { ...found.get(entry.toolCallId), [names.toolResult]: result })
    }
  }
  return found
}

function messageParts(message: AnyMessage): object {
  const reasoning = messageReasoning(message)
  const text = messageText(message)
  return {
    role: message.role,
    parts: [
      ...(reasoning === '' ? [] : [{ type: 'reasoning', content: reasoning }]),
      ...(text === '' ? [] : [{ type: 'text', content: text }]),
      ...toolCalls(message).map(({ toolCallId, toolName, input }) => ({
        type: 'tool_call',
        id: exportedId(toolCallId),
        name: toolName,
        arguments: input,
      })),
      ...toolResults(message).map(({ toolCallId, output }) => ({
        type: 'tool_call_response',
        id: exportedId(toolCallId),
        result: outputText(output),
      })),
    ],
  }
}

/** A list of messages, the newest of those that fit. */
function newest(messages: readonly string[]): string {
  let room = LONGEST_CONTENT
  const kept = messages.toReversed().filter((message, index) => {
    room -= message.length
    return room >= 0 || index === 0
  })
  return `[${kept.toReversed().join(',')}]`
}

/** Secrets are taken out of each text before it is written as JSON, which would change how they look. */
function json(value: unknown, redact: Redact): string {
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? shortened(redact(inner)) : inner))
}

function shortened(text: string): string {
  if (text.length <= LONGEST_TEXT) return text
  return `${text.slice(0, LONGEST_TEXT).toWellFormed()}… [${text.length - LONGEST_TEXT} more characters]`
}
