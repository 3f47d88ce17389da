import { toolCalls } from '../../context.ts'
import { parseTraceparent } from '../../platform.ts'
import type { Entry } from '../../session.ts'
import { callSpan, type ExportedCall, modelNames } from './call-span.ts'
import type { Conventions } from './conventions.ts'
import { type Attributes, type Span, type SpanContext, spanIdOf, traceIdOf } from './span.ts'

/** A turn that has ended: its entries, and its calls in their order. */
export interface EndedTurn {
  readonly entries: readonly Entry[]
  readonly calls: readonly ExportedCall[]
  /** The id of the agent that the session chose; absent where it chose none. */
  readonly agent?: string
  readonly version: string
  /** Of what a tool was given and answered, by the id of its call; absent unless content is exported. */
  readonly toolContent?: ReadonlyMap<string, Attributes>
  /** Why the turn failed; absent unless content is exported. */
  readonly failure?: string
}

/**
 * The turn itself, its calls and its tools as its children. Empty where the turn has not ended, and where its caller
 * records nothing of its trace.
 */
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
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      [names.provider]: last === undefined ? 'foreword' : modelNames(last, names).provider,
      'gen_ai.request.model': last === undefined ? undefined : modelNames(last, names).model,
      'gen_ai.agent.name': 'foreword',
      'gen_ai.agent.id': turn.agent,
      [names.agentVersion]: turn.version,
      'gen_ai.conversation.id': input.session,
      ...usageOf(turn, names),
      'error.type': failed?.code,
      'foreword.turn.id': input.turn,
      'foreword.turn.outcome': outcome.type,
      'foreword.turn.channel': input.options?.channel,
      'foreword.turn.waited_ms': Date.parse(begun.time) - Date.parse(input.time),
      'foreword.calls': calls.length,
      'foreword.cost.usd': costOf(calls),
    },
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

/** Without calls that failed and have no price. */
function costOf(calls: readonly ExportedCall[]): number | undefined {
  const prices = calls.map(({ price }) => price?.money)
  const known = calls.every(({ record, price }) => price !== undefined || record.outcome?.error !== undefined)
  return calls.length > 0 && known ? prices.reduce((sum: number, money) => sum + (money ?? 0), 0) : undefined
}

/** One for each call of a tool that has a result: also for one that was refused and never ran. */
function toolSpans({ entries, toolContent }: EndedTurn, parent: SpanContext): readonly Span[] {
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
    const tool = (started?.type === 'tool-start' ? started.toolName : names.get(id)) ?? 'unknown'
    const end = Date.parse(entry.time)
    return [
      {
        traceId: parent.traceId,
        spanId: spanIdOf(session, turn, entry.call, id),
        parentSpanId: parent.spanId,
        name: `execute_tool ${tool}`,
        kind: 'internal',
        start: started ? Date.parse(started.time) : end - durationMs,
        end,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': tool,
          'gen_ai.tool.call.id': id,
          'gen_ai.tool.type': 'function',
          'error.type': ok ? undefined : started ? 'tool_error' : 'not_run',
          'foreword.call.id': entry.call,
          'foreword.turn.id': turn,
          'foreword.tool.waited_ms': approvalWait(entries, id),
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
