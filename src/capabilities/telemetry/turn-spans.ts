import { toolCalls, type CutRecord, type Manifest } from '../../context.ts'
import { parseTraceparent, sha256 } from '../../platform.ts'
import { type Entry, type CallRecord, costTogether } from '../../session.ts'
import {
  type Conventions,
  type Attributes,
  exportedError,
  exportedFinish,
  exportedId,
  exportedName,
  nameAttributes,
  type Span,
  type SpanContext,
  spanIdOf,
  traceIdOf,
} from './conventions.ts'
import { type CallPrice, hasOwnRoom } from '../../capability.ts'
import type { CallParameters } from '../../model.ts'

/** A turn that has ended: its entries, and its calls in their order. */
interface EndedTurn {
  readonly entries: readonly Entry[]
  readonly calls: readonly CallSpanFacts[]
  /** The id of the agent that the session chose; absent where it chose none. */
  readonly agent?: string
  readonly version: string
  /** Of what a tool was given and answered, by the id of its call; absent unless content is exported. */
  readonly toolContent?: ReadonlyMap<string, Attributes>
  /** Why the turn failed; absent unless content is exported. */
  readonly failure?: string
}

/** The turn, with its calls and tools as children. Empty where it has not ended or its caller records no trace. */
export function turnSpans(turn: EndedTurn, names: Conventions): readonly Span[] {
  const { entries, calls } = turn
  const input = entries.find((entry) => entry.type === 'input')
  const ended = entries.findLast((entry) => entry.type === 'turn-end')
  if (input?.type !== 'input' || ended?.type !== 'turn-end') return []
  const place = tracePlace(input)
  if (!place) return []
  const { outcome } = ended
  const begun = entries.find((entry) => entry.type === 'turn-start') ?? input
  const last = calls.at(-1)?.record.model
  const failed = outcome.type === 'failed' ? outcome : undefined
  const own: Span = {
    ...place.own,
    ...(place.parent !== undefined && { parentSpanId: place.parent }),
    name: 'invoke_agent foreword',
    kind: 'internal',
    start: Date.parse(begun.time),
    end: Date.parse(ended.time),
    attributes: nameAttributes({
      'gen_ai.operation.name': 'invoke_agent',
      [names.provider]: last === undefined ? 'foreword' : modelNames(last, names).provider,
      'gen_ai.request.model': last === undefined ? undefined : modelNames(last, names).model,
      'gen_ai.agent.name': 'foreword',
      'gen_ai.agent.id': turn.agent,
      [names.agentVersion]: turn.version,
      'gen_ai.conversation.id': input.session,
      ...usageOf(turn, names),
      'error.type': failed && exportedError(failed.code),
      'foreword.turn.id': input.turn,
      'foreword.turn.outcome': outcome.type,
      'foreword.turn.channel': input.options?.channel,
      'foreword.turn.waited_ms': Date.parse(begun.time) - Date.parse(input.time),
      'foreword.calls': calls.length,
      'foreword.cost.usd': costTogether(calls.map(({ record, price }) => ({ record, cost: price?.money }))),
    }),
    ...(failed && { failure: turn.failure === undefined ? {} : { message: turn.failure } }),
  }
  return [own, ...calls.map((call) => callSpan(call, place.own, names)), ...toolSpans(turn, place.own)]
}

/** `undefined` where the caller does not record its trace. */
export function tracePlace(
  input: Extract<Entry, { readonly type: 'input' }>,
): { readonly own: SpanContext; readonly parent?: string } | undefined {
  const { session, turn, options } = input
  const came = options?.trace === undefined ? undefined : parseTraceparent(options.trace)
  const spanId = spanIdOf(session, turn)
  if (!came) return { own: { traceId: traceIdOf(session, turn), spanId } }
  return came.sampled ? { own: { traceId: came.traceId, spanId }, parent: came.spanId } : undefined
}

/** Of all calls together; what one of them did not report is not known of the turn. */
function usageOf({ calls }: EndedTurn, names: Conventions): Attributes {
  const answered = calls.filter(({ record }) => record.outcome && !record.outcome.error)
  const sum = (key: 'promptTokens' | 'outputTokens' | 'cachedTokens' | 'cacheWrittenTokens') => {
    const values = answered.map(({ record }) => record.outcome?.usage?.[key])
    if (values.length === 0 || values.includes(undefined)) return undefined
    return values.reduce((total: number, value) => total + (value ?? 0), 0)
  }
  return {
    'gen_ai.usage.input_tokens': sum('promptTokens'),
    'gen_ai.usage.output_tokens': sum('outputTokens'),
    [names.cacheRead]: sum('cachedTokens'),
    [names.cacheCreation]: sum('cacheWrittenTokens'),
  }
}

/** The name of a tool that was neither offered nor run: the model made it up, and its words are content. */
const UNKNOWN_TOOL = 'unknown'

/** One for each call of a tool that has a result: also for one that was refused and never ran. */
function toolSpans({ entries, calls, toolContent }: EndedTurn, parent: SpanContext): readonly Span[] {
  const offered = new Set(
    calls.flatMap(({ record }) => record.manifest.entries.flatMap(({ slot, id }) => (slot === 'tools' ? [id] : []))),
  )
  const names = new Map(
    entries.flatMap((entry) =>
      entry.type === 'message' ? toolCalls(entry.message).map((part) => [part.toolCallId, part.toolName] as const) : [],
    ),
  )
  return entries.flatMap((entry): readonly Span[] => {
    if (entry.type !== 'tool-end') return []
    const { toolCallId: id, ok, durationMs, turn, session } = entry
    const started = entries.find(
      (each) => each.type === 'tool-start' && each.toolCallId === id && each.call === entry.call,
    )
    const asked = names.get(id) ?? UNKNOWN_TOOL
    const tool = started?.type === 'tool-start' ? started.toolName : offered.has(asked) ? asked : UNKNOWN_TOOL
    const end = Date.parse(entry.time)
    return [
      {
        traceId: parent.traceId,
        spanId: spanIdOf(session, turn, entry.call, id),
        parentSpanId: parent.spanId,
        name: `execute_tool ${exportedName(tool)}`,
        kind: 'internal',
        start: started ? Date.parse(started.time) : end - durationMs,
        end,
        attributes: {
          ...nameAttributes({
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': tool,
            'gen_ai.tool.call.id': exportedId(id),
            'gen_ai.tool.type': 'function',
            'error.type': ok ? undefined : started ? 'tool_error' : 'not_run',
            'foreword.call.id': entry.call,
            'foreword.turn.id': turn,
            'foreword.tool.waited_ms': approvalWait(entries, id),
          }),
          ...toolContent?.get(id),
        },
        ...(!ok && { failure: {} }),
      },
    ]
  })
}

/** ms; `undefined` where nobody was asked. */
function approvalWait(entries: readonly Entry[], toolCallId: string): number | undefined {
  const of = (type: Entry['type']) =>
    entries.filter((entry) => entry.type === type && 'toolCallId' in entry && entry.toolCallId === toolCallId)
  const [asked, decided] = [of('approval-request')[0], of('approval').at(-1)]
  return asked && decided ? Date.parse(decided.time) - Date.parse(asked.time) : undefined
}

export interface CallSpanFacts {
  readonly record: CallRecord
  readonly price?: CallPrice
  /** When its answer was on disk, ms since 1970. Absent: as long after its beginning as it took. */
  readonly endedAt?: number
  /** What it said and was sent; absent unless content is exported. */
  readonly content?: Attributes
  /** Of its failure; absent unless content is exported. */
  readonly failure?: string
}

/** What the runtime adds to the account of a call. */
type RecordedManifest = Manifest & {
  readonly reuse?: { readonly tokens: number; readonly firstChange?: { readonly slot: string; readonly cause: string } }
  readonly cutRecord?: CutRecord
}

/** The span `chat MODEL` of a call to a model. Without `content` it has no word of anybody. */
export function callSpan(
  call: CallSpanFacts,
  parent: Omit<SpanContext, 'spanId'> & Partial<SpanContext>,
  names: Conventions,
): Span {
  const { record, endedAt, content, failure } = call
  const { id, outcome, time } = record
  const durationMs = outcome?.durationMs ?? 0
  const end = endedAt ?? Date.parse(time) + durationMs
  const { provider, model } = modelNames(record.model, names)
  return {
    traceId: parent.traceId,
    spanId: spanIdOf(id),
    ...(parent.spanId !== undefined && { parentSpanId: parent.spanId }),
    name: `chat ${exportedName(model)}`,
    kind: 'client',
    start: end - durationMs,
    end,
    attributes: {
      ...nameAttributes({
        'gen_ai.operation.name': 'chat',
        [names.provider]: provider,
        'gen_ai.request.model': model,
        // Whether another program asked for a stream is not on record.
        [names.isStream]: record.kind === 'foreign' ? undefined : true,
        'gen_ai.conversation.id': record.session,
        ...requestAttributes(record),
        ...answerAttributes(record, names),
        ...addressAttributes(outcome?.wire?.url),
        ...ownAttributes(call),
      }),
      ...content,
    },
    ...(outcome?.error && { failure: failure === undefined ? {} : { message: failure } }),
  }
}

/** The provider as the conventions call it, and the model by the name that the provider knows. */
function modelNames(id: string, { providers }: Conventions): { readonly provider: string; readonly model: string } {
  const at = id.indexOf('/')
  const name = at < 0 ? id : id.slice(0, at)
  return { provider: Object.hasOwn(providers, name) ? providers[name]! : name, model: id.slice(at + 1) }
}

function requestAttributes({ input }: CallRecord): Attributes {
  const { options } = input as { readonly options?: { maxOutputTokens?: number; parameters?: CallParameters } }
  const { temperature, topP, seed, presencePenalty, frequencyPenalty } = options?.parameters ?? {}
  return {
    'gen_ai.request.max_tokens': options?.maxOutputTokens,
    'gen_ai.request.temperature': temperature,
    'gen_ai.request.top_p': topP,
    'gen_ai.request.seed': seed,
    'gen_ai.request.presence_penalty': presencePenalty,
    'gen_ai.request.frequency_penalty': frequencyPenalty,
  }
}

/** What the provider did not report has no attribute: none is a guess. */
function answerAttributes({ outcome }: CallRecord, names: Conventions): Attributes {
  const { usage, finish, error, firstTokenMs, foreign } = outcome ?? {}
  return {
    'gen_ai.response.finish_reasons': finish === undefined ? undefined : [exportedFinish(finish)],
    'gen_ai.usage.input_tokens': usage?.promptTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    [names.cacheRead]: usage?.cachedTokens,
    [names.cacheCreation]: usage?.cacheWrittenTokens,
    [names.reasoning]: usage?.reasoningTokens,
    [names.firstChunk]: firstTokenMs === undefined ? undefined : firstTokenMs / 1_000,
    'error.type': error && exportedError(error.code, foreign?.status),
  }
}

function addressAttributes(url: string | undefined): Attributes {
  if (url === undefined || !URL.canParse(url)) return {}
  const { hostname, port, protocol } = new URL(url)
  return { 'server.address': hostname, 'server.port': Number(port || (protocol === 'https:' ? 443 : 80)) }
}

/** Digests, sums and codes: no name of a file, a skill or a layer. */
function ownAttributes({ record, price }: CallSpanFacts): Attributes {
  const { id, turn, kind, requestDigest, outcome } = record
  const manifest: RecordedManifest = record.manifest
  const { reuse, cutRecord, entries, budget } = manifest
  const count = (wanted: string) => entries.filter(({ outcome: became }) => became === wanted).length
  return {
    'foreword.call.id': id,
    'foreword.call.kind': kind,
    'foreword.program': record.foreign?.client,
    'foreword.program.version': record.foreign?.version,
    'foreword.turn.id': turn,
    'foreword.layout': manifest.layout,
    'foreword.manifest.digest': sha256(JSON.stringify(manifest)),
    // An account of a call that was never made has no request.
    'foreword.request.digest': requestDigest || undefined,
    'foreword.body.digest': outcome?.wire?.sha256,
    'foreword.tokens.used': manifest.used,
    'foreword.tokens.available': hasOwnRoom(record) ? budget.available : undefined,
    ...Object.fromEntries(Object.entries(manifest.slots).map(([slot, tokens]) => [`foreword.tokens.${slot}`, tokens])),
    'foreword.entries.included': count('included'),
    'foreword.entries.reduced': count('reduced'),
    'foreword.entries.omitted': count('omitted'),
    'foreword.reuse.tokens': reuse?.tokens,
    'foreword.reuse.first_change.slot': reuse?.firstChange?.slot,
    'foreword.reuse.first_change.cause': reuse?.firstChange?.cause,
    'foreword.cost.usd': price?.money,
    'foreword.cost.saved_usd': price?.saved,
    'foreword.cut': cutRecord?.why,
    'foreword.cut.turns': cutRecord?.turns,
    'foreword.cut.hidden_tokens': cutRecord?.hidden,
    'foreword.cut.saved_tokens': cutRecord?.saved,
    'foreword.warning': outcome?.warning?.code,
  }
}
