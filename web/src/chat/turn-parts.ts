import {
  messageReasoning,
  messageText,
  outputText,
  toolCalls,
  toolResults,
  type Message,
} from '../../../src/context.ts'
import type { Entry } from '../../../src/session.ts'

type EntryOf<Type extends Entry['type']> = Extract<Entry, { readonly type: Type }>
export type ApprovalRequest = EntryOf<'approval-request'>

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
  readonly state: 'asked' | 'waiting' | 'running' | 'done' | 'failed' | 'denied'
  readonly approval: ApprovalRequest | undefined
  readonly result: string | undefined
  readonly durationMs: number | undefined
}

/** The parts with words that have just arrived. */
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
  const kept = parts.filter((part) => part.type === 'tool' || !part.provisional)
  if (entry.message.role === 'tool') return withResults(kept, entry.message)
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
      result: undefined,
      durationMs: undefined,
    })),
  ]
}

function textPart(type: TextPart['type'], call: string, text: string, citations: TextPart['citations']): TextPart {
  return { type, call, text, provisional: false, citations }
}

/** Results that no `tool-end` reported: calls that were refused or denied. */
function withResults(parts: readonly Part[], message: Message): readonly Part[] {
  const results = new Map(toolResults(message).map((result) => [result.toolCallId, result.output]))
  return parts.map((part) => {
    if (part.type !== 'tool' || part.result !== undefined) return part
    const output = results.get(part.toolCallId)
    if (output === undefined) return part
    const state = part.state === 'denied' || output.type === 'execution-denied' ? 'denied' : 'failed'
    return {
      ...part,
      result: outputText(output),
      state: output.type.startsWith('error') ? state : part.state === 'denied' ? state : 'done',
    }
  })
}
