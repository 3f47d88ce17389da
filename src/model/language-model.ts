import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import {
  answerBounds,
  answerLimits,
  DEFAULT_TIMEOUTS,
  TimeoutExceeded,
  type Timeouts,
  withCallTimeout,
} from './call-limits.ts'
import { type RequestChanges, changeFor } from './body-changes.ts'
import { withoutTemplates } from '../context.ts'
import { type Clock, defined, NO_LONGER_NEEDED, sha256, timeSlice } from '../platform.ts'
import { missingOnWire, parameterOptions, unsupportedParameter } from './call-parameters.ts'
import { ModelError } from './model-error.ts'
import type {
  CallOptions,
  FinishReason,
  Model,
  ModelEvent,
  ModelFacts,
  ModelRequest,
  WireBody,
  WireCarriage,
} from './model.ts'
import { toFunctionTools, modelImageSupport, toPrompt, type WrittenPrompt } from './prompt.ts'
import { brokenOff, type Callee, toModelError } from './provider-failure.ts'
import { messageBuilder } from './message-builder.ts'
import { thinkingFilter } from './thinking.ts'
import { readUsage } from './usage.ts'
import { callWithMarks, type Fetch, type MarkUse, withWireListener, type StreamForm, wireFetch } from './wire-fetch.ts'
import { type EventFilter, UNREPORTED_USAGE, type Usage } from '../wire.ts'

/** The one method that is used of an AI SDK language model: calls always stream. */
export type StreamingModel = Pick<LanguageModelV4, 'doStream'>

export interface LanguageModelSettings {
  /** `provider/model`. */
  readonly id: string
  readonly clock: Clock
  readonly facts: ModelFacts
  readonly carries?: WireCarriage
  /** Opens the model, once, over the given `fetch`. */
  readonly open: (fetch: Fetch) => StreamingModel | Promise<StreamingModel>
  /** `false`: `open` does not use the given `fetch`. Such a model has no `wire` event and no `requestBody`. */
  readonly usesFetch?: boolean
  /** Form of its HTTP streams; other answers are then refused. Any form unless given. */
  readonly stream?: StreamForm
  /** Reads its server-sent events first. */
  readonly filter?: () => EventFilter
  /** Changes every call last, for example to add cache breakpoints. */
  readonly mark?: (call: LanguageModelV4CallOptions, options: CallOptions) => LanguageModelV4CallOptions
  readonly fetch?: Fetch
  /** The address of its server. With its id it says who can read reasoning that is sealed. */
  readonly address?: string
  readonly timeouts?: Partial<Timeouts>
  /** Keys and tokens, which errors must not contain. */
  readonly secrets?: readonly string[]
  /** How to fix a model that its provider does not have. */
  readonly missing?: string
}

/** `reader`: who can read the reasoning that this model seals. A digest, since an address may have a key in it. */
type Settings = LanguageModelSettings & { readonly reader: string; readonly marks: MarkUse }

/** Makes a `Model` from an AI SDK language model. */
export function fromLanguageModel(given: LanguageModelSettings): Model {
  const reader = sha256(`${given.id} ${given.address ?? ''}`).slice(0, 12)
  const settings = { ...given, reader, marks: {} }
  let opened: Promise<StreamingModel> | undefined
  const open = () => {
    opened ??= Promise.resolve(
      settings.open(wireFetch(settings.clock, settings.fetch ?? globalThis.fetch, settings.stream, settings.filter)),
    )
    opened.catch(() => (opened = undefined))
    return opened
  }
  const { id, facts, carries } = settings
  const server: KnownServer = { changes: {} }
  return {
    id,
    facts,
    ...defined({ carries }),
    call: (request, options) => callWithChanges(settings, server, open, request, options),
    ...(settings.usesFetch === false
      ? {}
      : { requestBody: (request, options, read) => requestBody(settings, request, options, read) }),
  }
}

/** Makes a call over a `fetch` that sends nothing, and returns the body. */
async function requestBody(
  settings: Settings,
  request: ModelRequest,
  options: CallOptions,
  read: ((body: Uint8Array) => void) | undefined,
): Promise<WireBody> {
  const made = Promise.withResolvers<WireBody>()
  const open = async () =>
    settings.open(wireFetch(settings.clock, () => Promise.reject(new Error('the body is not sent'))))
  const left = (wire: WireBody, body: Uint8Array) => {
    read?.(body)
    made.resolve(wire)
  }
  const listener = { left, onTooLarge: () => {}, changes: options.changes }
  const { call: plain } = callOptions(request, options, settings, options.signal)
  const opened = withWireListener(listener, () => openStream(settings, open, plain, options, () => {}))
  opened.catch(made.reject)
  return made.promise
}

/** What the server of a model does not accept. It holds as long as the process. */
interface KnownServer {
  changes: RequestChanges
}

/** How often a call is made again because the server refused a field that was added to it. */
const MOST_CHANGES = 4

/** Makes a call, and makes it again without what was added to it and the server refuses. */
async function* callWithChanges(
  settings: Settings,
  server: KnownServer,
  open: () => Promise<StreamingModel>,
  request: ModelRequest,
  options: CallOptions,
): AsyncGenerator<ModelEvent> {
  for (let tries = 0; ; tries += 1) {
    let sent: Uint8Array | undefined
    const { changes } = server
    try {
      return yield* call(settings, open, request, { ...options, changes }, (body) => void (sent = body))
    } catch (error) {
      const refusal = error instanceof ModelError && REFUSALS.has(error.code) ? error.facts.detail : undefined
      const changed =
        refusal === undefined || sent === undefined || tries === MOST_CHANGES
          ? undefined
          : changeFor(refusal, sent, { known: changes, ...defined({ parameters: options.parameters }) })
      if (changed === undefined) throw error
      server.changes = changed
    }
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['bad-request', 'unsupported-parameter'])

async function* call(
  settings: Settings,
  open: () => Promise<StreamingModel>,
  request: ModelRequest,
  options: CallOptions,
  onBody: (body: Uint8Array) => void,
): AsyncGenerator<ModelEvent> {
  const { clock } = settings
  const callee = calleeFor(settings)
  const timeouts = { ...DEFAULT_TIMEOUTS, ...settings.timeouts }
  // Aborts the request when the caller cancels, on a timeout, and when the caller stops reading.
  const ending = new AbortController()
  const signal = AbortSignal.any([options.signal, ending.signal])
  let answers = false
  try {
    if (options.signal.aborted) throw options.signal.reason
    const left = Promise.withResolvers<WireBody | undefined>()
    const wireState: WireState = { tooLarge: false, filter: undefined }
    const leaves = (leaving: WireBody, body: Uint8Array) => {
      const { parameters = {} } = options
      const asks = Object.keys(parameters).length > 0
      const missing = asks ? missingOnWire(parameters, JSON.parse(new TextDecoder().decode(body))) : undefined
      if (missing) throw unsupportedParameter(missing, callee)
      onBody(body)
      settings.marks.takesMarks ??= true
      left.resolve(leaving)
    }
    const { changes = {} } = options
    const listener = {
      left: leaves,
      onTooLarge: () => void (wireState.tooLarge = true),
      onFilter: (filter: EventFilter) => void (wireState.filter = filter),
      changes,
    }
    const { call: plain, corrections } = callOptions(request, options, settings, signal)
    const opened = withWireListener(listener, () => openStream(settings, open, plain, options, left.resolve))
    opened.catch(() => left.resolve(undefined))
    const wire = await withCallTimeout(clock, left.promise, timeouts.firstMs, signal)
    if (wire) {
      const { length: corrected } = Object.keys(corrections)
      yield {
        type: 'wire',
        ...wire,
        ...(Object.keys(changes).length > 0 && { changes }),
        ...(corrected > 0 && { corrections }),
      }
    }
    const stream = await withCallTimeout(clock, opened, timeouts.firstMs, signal)
    answers = true
    yield* readAnswer(settings, stream, options, timeouts, signal, callee, wireState)
  } catch (error) {
    if (options.signal.aborted) {
      throw new ModelError('cancelled', `The call of ${settings.id} was cancelled.`, modelNames(callee))
    }
    const failure = toModelError(error, callee, clock.now())
    throw answers && failure.code === 'network' ? brokenOff(callee, failure.facts.detail) : failure
  } finally {
    ending.abort(NO_LONGER_NEEDED)
  }
}

async function openStream(
  settings: Settings,
  open: () => Promise<StreamingModel>,
  plain: LanguageModelV4CallOptions,
  options: CallOptions,
  onBody: (wire: WireBody | undefined) => void,
): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  const model = await open()
  const marked = settings.mark ? settings.mark(plain, options) : plain
  const { stream } = await callWithMarks(settings.marks, marked, (given) => model.doStream(given))
  onBody(undefined)
  return stream
}

function callOptions(
  request: ModelRequest,
  options: CallOptions,
  { facts, carries, reader }: Settings,
  abortSignal: AbortSignal,
): { readonly call: LanguageModelV4CallOptions; readonly corrections: WrittenPrompt['corrections'] } {
  const { maxOutputTokens, reasoning, parameters = {}, changes } = options
  const { prompt, corrections } = toPrompt(
    carries?.oneText ? { ...request, messages: request.messages.map(withoutTemplates) } : request,
    modelImageSupport({ facts, ...defined({ carries }) }),
    { reader, changes, ...defined({ richResults: carries?.resultImages }) },
  )
  return {
    corrections,
    call: {
      prompt,
      ...(request.tools.length > 0 ? { tools: toFunctionTools(request.tools) } : {}),
      ...(request.tools.length > 0 && options.toolChoice === 'none' ? { toolChoice: { type: 'none' } } : {}),
      ...defined({ maxOutputTokens }),
      ...(reasoning === undefined || !facts.reasoning ? {} : { reasoning }),
      ...parameterOptions(parameters),
      abortSignal,
    },
  }
}

/** How long a connection that stays open after the last part may delay the answer, ms. */
const CLOSE_MS = 1000

async function* readAnswer(
  { clock, reader: sealer }: Settings,
  stream: ReadableStream<LanguageModelV4StreamPart>,
  options: CallOptions,
  timeouts: Timeouts,
  signal: AbortSignal,
  callee: Callee,
  wireState: Readonly<WireState>,
): AsyncGenerator<ModelEvent> {
  const built = messageBuilder(sealer)
  const divide = thinkingFilter()
  const reader = stream.getReader()
  const work = timeSlice(clock)
  const limits = options.limits ?? answerLimits(options.maxOutputTokens ?? 0)
  const bounds = answerBounds(limits)
  const endsAt = clock.monotonic() + limits.milliseconds
  let begun = false
  // An answer that does not end is cut; its unfinished calls are not run.
  const cut = (limit: Finish['limit'], cutCall = built.cutCall): Finish => ({
    type: 'finish',
    reason: 'length',
    ...defined({ limit, cutCall }),
    usage: UNREPORTED_USAGE,
    message: built.message({ calls: false }),
  })
  try {
    for (;;) {
      // A fast answer is already there as a whole: reading it in one go would block all other work.
      if (work.isOver()) await work.rest()
      const left = endsAt - clock.monotonic()
      if (left <= 0) return yield cut('time')
      const waitMs = begun ? timeouts.idleMs : timeouts.firstMs
      const read = await withCallTimeout(clock, reader.read(), Math.min(waitMs, left), signal).catch(
        (error: unknown) => {
          if (wireState.tooLarge) return 'event'
          if (error instanceof TimeoutExceeded && left < waitMs) return 'time'
          throw error
        },
      )
      if (read === 'event' || read === 'time') return yield cut(read)
      const { done, value: next } = read
      if (wireState.tooLarge) return yield cut('event')
      if (done) throw brokenOff(callee)
      if (next.type === 'error') throw next.error
      const { part: whole, full } = bounds.add(next)
      for (const part of whole ? divide(whole) : []) {
        if (part.type === 'finish') continue
        if (ANSWERS.has(part.type)) begun = true
        const event = built.add(part)
        if (event) yield event
      }
      if (full) return yield cut('characters', next.type === 'tool-call' ? next.toolName : undefined)
      if (whole?.type === 'finish') {
        const { filter } = wireState
        const usage = filter ? (filter.usage() ?? UNREPORTED_USAGE) : readUsage(whole.usage)
        const reason = finishReason(whole.finishReason, built.calls)
        if (!reason) throw brokenOff(callee, whole.finishReason.raw)
        checkTruncation(usage, options, callee)
        // What the connection does after the end of an answer changes nothing.
        await withCallTimeout(clock, drain(reader), CLOSE_MS, signal).catch((error: unknown) => {
          if (signal.aborted) throw error
        })
        const { cutCall } = built
        const ofCall = reason === 'length' ? defined({ cutCall }) : {}
        if (built.isLong) await work.rest()
        const message = built.message()
        if (built.isLong) await work.rest()
        return yield { type: 'finish', reason, ...ofCall, usage, message }
      }
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

interface WireState {
  tooLarge: boolean
  filter: EventFilter | undefined
}

type Finish = Extract<ModelEvent, { type: 'finish' }>

/** Parts that show that an answer has begun. Before them a provider may be loading the model or reading the prompt. */
const ANSWERS: ReadonlySet<string> = new Set(['text-delta', 'reasoning-delta', 'tool-input-delta', 'tool-call'])

async function drain(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  while (!(await reader.read()).done);
}

type WireReason = Extract<LanguageModelV4StreamPart, { type: 'finish' }>['finishReason']

/** The reason of the end: some servers report `stop` for a tool call. `undefined`: the answer broke off. */
function finishReason({ unified, raw }: WireReason, calls: number): FinishReason | undefined {
  // Without a reason the stream was closed before the end of the answer.
  const reason =
    unified === 'other' ? OTHER_REASONS.find(([, words]) => raw !== undefined && words.test(raw))?.[0] : unified
  if (reason === 'error' || reason === 'interrupted' || (unified === 'other' && raw === undefined)) return undefined
  if (calls > 0 && (reason === undefined || reason === 'stop')) return 'tool-calls'
  return reason ?? 'other'
}

/** Words for an end that the libraries do not know. */
const OTHER_REASONS = [
  ['stop', /^(?:stop\w*|end|end_?turn|eos\w*|eot|completed?|done|finish(?:ed)?|normal|success)$/i],
  ['length', /^(?:max_\w*tokens|max_length|model_length|length\w*|token_limit|model_context_window_exceeded)$/i],
  ['tool-calls', /^(?:tool_?(?:use|calls?)|function_?calls?)$/i],
  [
    'content-filter',
    /^(?:content_?filter\w*|safety|refusal|recitation|blocklist|prohibited_content|spii|sensitive|guardrail\w*)$/i,
  ],
  [
    'error',
    /^(?:error|abort(?:ed)?|cancell?ed|fail(?:ed|ure)?|network_error|insufficient_system_resource|malformed_function_call|timeout|unknown)$/i,
  ],
] as const satisfies readonly (readonly [FinishReason | 'error', RegExp])[]

/** A server that reports fewer tokens than the prompt has at least has truncated it (BEHAVIOURS §1.6). */
function checkTruncation(
  { promptTokens, cachedTokens }: Usage,
  { leastPromptTokens = 0, leastWholeTokens = 0 }: CallOptions,
  callee: Callee,
): void {
  if (promptTokens === undefined) return
  // Some servers count what they had cached beside the prompt, others in it.
  const isWhole = cachedTokens !== undefined && promptTokens + cachedTokens >= leastWholeTokens
  const sent = isWhole || cachedTokens === undefined ? leastPromptTokens : leastWholeTokens
  if (promptTokens >= sent) return
  throw new ModelError(
    'prompt-truncated',
    `prompt was truncated by the server: ${callee.provider}/${callee.model} read ${promptTokens} tokens of at least ` +
      `${sent}. Set models."${callee.provider}/${callee.model}".window to the context length it is served with.`,
    { ...modelNames(callee), limit: promptTokens, sent },
  )
}

function calleeFor({ id, secrets = [], missing }: LanguageModelSettings): Callee {
  const slash = id.indexOf('/')
  return { provider: id.slice(0, slash), model: id.slice(slash + 1), secrets, ...(missing ? { missing } : {}) }
}

function modelNames({ provider, model }: Callee): { provider: string; model: string } {
  return { provider, model }
}
