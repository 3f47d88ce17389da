import {
  divideExactly,
  messageReasoning,
  messageText,
  outputText,
  toolCalls,
  toolResults,
  type Message,
} from '../../../src/context.ts'
import type { Entry } from '../../../src/session.ts'

type EntryOf<Type extends Entry['type']> = Extract<Entry, { readonly type: Type }>

export type Part = TextPart | ToolPart

/** Text or reasoning of the model. `provisional`: it is still arriving. */
export interface TextPart {
  readonly type: 'text' | 'reasoning'
  readonly call: string
  readonly text: string
  readonly provisional: boolean
  readonly citations: NonNullable<EntryOf<'message'>['citations']>
}

export interface ToolPart {
  readonly type: 'tool'
  readonly call: string
  readonly toolCallId: string
  readonly name: string
  readonly input: unknown
  /** `refused`: nothing was run. `denied`: a person has decided so. */
  readonly state: 'asked' | 'waiting' | 'running' | 'done' | 'failed' | 'refused' | 'denied'
  readonly approval: EntryOf<'approval-request'> | undefined
  readonly decision: ToolDecision | undefined
  /** ISO 8601. */
  readonly started: string | undefined
  readonly result: string | undefined
  /** What the result takes in a request as it was counted here, tokens; absent until it is on record. */
  readonly tokens?: number
  readonly images?: EntryOf<'tool-end'>['images']
  readonly durationMs: number | undefined
}

/** What a person decided about a call, and where, such as `cli`. */
export type ToolDecision = Pick<EntryOf<'approval'>, 'decision' | 'by'>

export function withDelta(parts: readonly Part[], type: TextPart['type'], call: string, text: string): readonly Part[] {
  const last = parts.at(-1)
  if (last?.type === type && last.provisional && last.call === call) {
    return [...parts.slice(0, -1), { ...last, text: last.text + text }]
  }
  return [...parts, { type, call, text, provisional: true, citations: [] }]
}

/** The message has the whole text: it takes the place of what had arrived of it. */
export function withMessage(parts: readonly Part[], entry: EntryOf<'message'>): readonly Part[] {
  const call = entry.call ?? ''
  const kept = withoutProvisional(parts)
  if (entry.message.role === 'tool') return withResults(kept, entry.message, entry.tokens.full)
  const reasoning = messageReasoning(entry.message)
  const text = messageText(entry.message)
  const citations = entry.citations ?? []
  return [
    ...kept,
    ...(reasoning === '' ? [] : [textPart('reasoning', call, reasoning, [])]),
    ...(text === '' ? [] : [textPart('text', call, text, citations)]),
    ...toolCalls(entry.message).map(({ toolCallId, toolName, input }): ToolPart => ({
      type: 'tool',
      call,
      toolCallId,
      name: toolName,
      input,
      state: 'asked',
      approval: undefined,
      decision: undefined,
      started: undefined,
      result: undefined,
      durationMs: undefined,
    })),
  ]
}

function textPart(type: TextPart['type'], call: string, text: string, citations: TextPart['citations']): TextPart {
  return { type, call, text, provisional: false, citations }
}

export function withTool(parts: readonly Part[], toolCallId: string, change: Partial<ToolPart>): readonly Part[] {
  return parts.map((part) => (part.type === 'tool' && part.toolCallId === toolCallId ? { ...part, ...change } : part))
}

/** The parts without words that are still arriving. */
export function withoutProvisional(parts: readonly Part[]): readonly Part[] {
  return parts.filter((part) => part.type === 'tool' || !part.provisional)
}

/** The call has ended. One that has not begun was refused, or denied. */
export function withToolEnd(
  parts: readonly Part[],
  { toolCallId, ok, output, images, durationMs }: EntryOf<'tool-end'>,
): readonly Part[] {
  return parts.map((part): Part => {
    if (part.type !== 'tool' || part.toolCallId !== toolCallId) return part
    const failed = part.state === 'denied' ? 'denied' : part.started === undefined ? 'refused' : 'failed'
    return { ...part, state: ok ? 'done' : failed, result: output, ...(images && { images }), durationMs }
  })
}

/** The tokens of results, and the results that no `tool-end` reported: of calls that were refused or denied. */
function withResults(parts: readonly Part[], message: Message, tokens: number): readonly Part[] {
  const outputs = toolResults(message).map((result) => ({
    toolCallId: result.toolCallId,
    output: result.output,
    // Words of the tool are marked, and those of a refusal are Foreword's own.
    isOfTool: result.providerOptions?.['foreword'] !== undefined,
    text: outputText(result.output),
  }))
  const shares = divideExactly(
    tokens,
    outputs.map(({ text }) => text.length),
  )
  const results = new Map(outputs.map((each, index) => [each.toolCallId, { ...each, tokens: shares[index]! }]))
  return parts.map((part) => {
    const found = part.type === 'tool' ? results.get(part.toolCallId) : undefined
    if (part.type !== 'tool' || found === undefined) return part
    const { output, text, isOfTool } = found
    if (part.result !== undefined) {
      const state = part.state === 'refused' && isOfTool ? 'failed' : part.state
      return { ...part, tokens: found.tokens, state }
    }
    const denied = part.state === 'denied' || output.type === 'execution-denied'
    const state = denied ? 'denied' : output.type.startsWith('error') ? 'refused' : 'done'
    return { ...part, result: text, tokens: found.tokens, state }
  })
}

/** The state of a card after a decision about its call. */
export function decided({ decision, by }: Extract<Entry, { readonly type: 'approval' }>): Partial<ToolPart> {
  return { state: decision.type === 'deny' ? 'denied' : 'asked', decision: { decision, by } }
}

/** Parts that are drawn together, and the index of the first in the answer. */
export interface PartRun {
  readonly from: number
  readonly parts: readonly Part[]
}

/** Calls of tools that follow each other, with the reasoning between them, are one run; each other part is one by itself. */
export function partRuns(parts: readonly Part[]): readonly PartRun[] {
  const runs: PartRun[] = []
  for (let from = 0; from < parts.length;) {
    const text = parts.findIndex(({ type }, at) => at > from && type === 'text')
    const lastTool = parts.findLastIndex(({ type }, at) => type === 'tool' && (text === -1 || at < text))
    const end = parts[from]!.type === 'tool' ? lastTool + 1 : from + 1
    runs.push({ from, parts: parts.slice(from, end) })
    from = end
  }
  return runs
}
