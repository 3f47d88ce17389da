import {
  type AssistantMessage,
  type Message,
  outputText,
  type ToolOutput,
  type ToolResultPart,
  type Turn,
  type TurnMessage,
} from '../../context.ts'
import { fieldsOf, elementsOf } from '../../platform.ts'
import type { ConversationItem, ItemPart, ItemGroup } from './conversation-items.ts'
import { answerPath } from './rewrite-body.ts'
import { type ConversationFormat, textOf } from '../../wire.ts'

/** A result in a conversation of another program, as the core is given it. */
export interface GroupResult {
  readonly item: number
  readonly call: string
  readonly output: ToolOutput
  readonly tokens: number
}

interface GroupOptions {
  readonly format: ConversationFormat
  /** Positions of items that are no part of it: they stay whatever becomes of it. */
  readonly without: ReadonlySet<number>
}

/**
 * A group as a turn that the core can shorten. Its messages have the same numbers in every later call. What the core cannot
 * make smaller, such as a result that is no text, is a message without content that costs what it costs.
 */
export function groupTurn(
  items: readonly ConversationItem[],
  { id, first, end }: Pick<ItemGroup, 'id' | 'first' | 'end'>,
  { format, without }: GroupOptions,
): { readonly turn: Turn; readonly results: ReadonlyMap<string, GroupResult> } {
  const messages: (TurnMessage | Said)[] = []
  const results = new Map<string, GroupResult>()
  let open: Said | undefined
  /** Calls of the model's last message that have no result yet. */
  let calls = new Map<string, CallDraft>()
  const add = (message: Message, tokens: number) => {
    open = undefined
    messages.push({ message, tokens })
  }
  const addBlank = (tokens: number) => {
    add({ role: 'user', content: '' }, tokens)
    calls = new Map()
  }
  if (items[first]?.side !== 'person') addBlank(0)
  for (let at = first; at < end; at += 1) {
    const item = items[at]!
    if (item.side === 'operator') continue
    if (item.side === 'person') {
      if (without.has(at)) addBlank(0)
      else {
        const texts = item.parts.flatMap(({ kind, text }) => (kind === 'text' ? [text] : []))
        add({ role: 'user', content: texts.join('\n') }, item.tokens)
        calls = new Map()
      }
      continue
    }
    if (item.side === 'model') {
      if (!open) {
        open = { parts: [], tokens: 0 }
        messages.push(open)
        calls = new Map()
      }
      for (const part of item.parts) {
        const draft = { part, id: `${at}/${part.call}`, isAnswered: false }
        if (part.kind === 'call') calls.set(part.call!, draft)
        open.parts.push(part.kind === 'call' ? draft : part)
        open.tokens += part.tokens
      }
      continue
    }
    const shown = shortenable(item, format)
    const own: ToolResultPart[] = []
    let [tokens, beside] = [0, 0]
    for (const part of item.parts) {
      const call = part.call !== undefined && shown.has(part.call) ? calls.get(part.call) : undefined
      if (!call || part.role !== 'tool') beside += part.tokens
      else tokens += part.tokens
    }
    for (const call of shown) {
      const draft = calls.get(call)
      if (!draft) continue
      draft.isAnswered = true
      calls.delete(call)
      const parts = item.parts.filter((part) => part.role === 'tool' && part.call === call)
      const key = `${at}:${draft.id}`
      draft.id = key
      const output = outputOf(parts)
      own.push({ type: 'tool-result', toolCallId: key, toolName: draft.part.tool ?? '', output })
      results.set(key, { item: at, call, output, tokens: parts.reduce((sum, part) => sum + part.tokens, 0) })
    }
    if (own.length > 0) add({ role: 'tool', content: own }, tokens)
    if (beside > 0) addBlank(beside)
  }
  // Only now it is known which calls have a result.
  return { turn: { id, messages: messages.map((each) => ('parts' in each ? modelMessage(each) : each)) }, results }
}

export function textOfResult({ output }: GroupResult): string {
  return outputText(output)
}

interface Said {
  readonly parts: (ItemPart | CallDraft)[]
  tokens: number
}

interface CallDraft {
  readonly part: ItemPart
  id: string
  isAnswered: boolean
}

/** A call without a result is a text. */
function modelMessage({ parts, tokens }: Said): TurnMessage {
  const content = parts.flatMap((each): Exclude<AssistantMessage['content'], string> => {
    if (!('part' in each)) return each.kind === 'text' ? [{ type: 'text', text: each.text }] : []
    const { part, id, isAnswered } = each
    if (!isAnswered) return [{ type: 'text', text: '' }]
    return [{ type: 'tool-call', toolCallId: id, toolName: part.tool ?? '', input: part.input }]
  })
  return { message: { role: 'assistant', content }, tokens }
}

function outputOf(parts: readonly ItemPart[]): ToolOutput {
  const outputs = parts.flatMap(({ content }) =>
    typeof content === 'object' && 'role' in content && content.role === 'tool'
      ? content.content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
      : [],
  )
  const [first] = outputs
  if (first && outputs.length === 1) return first
  const isPlain = outputs.every(({ type }) => type === 'text' || type === 'error-text')
  if (isPlain) {
    const type = outputs.some((output) => output.type === 'error-text') ? 'error-text' : 'text'
    return { type, value: outputs.map(outputText).join('\n') }
  }
  return {
    type: 'content',
    value: outputs.flatMap((output) =>
      output.type === 'content' ? output.value : [{ type: 'text' as const, text: outputText(output) }],
    ),
  }
}

/** The ids of calls whose results in an item can be replaced by a text. */
function shortenable(item: ConversationItem, format: ConversationFormat): ReadonlySet<string> {
  const { value, parts } = item
  const fields = fieldsOf(value)
  const id = parts.find(({ role }) => role === 'tool')?.call
  const one = new Set(id === undefined ? [] : [id])
  if (format === 'messages') {
    const blocks = elementsOf(fields['content']).map(fieldsOf)
    const ids = blocks.flatMap((block) => {
      const call = textOf(block['tool_use_id'])
      return block['type'] === 'tool_result' && call !== undefined && isTexts(block['content']) ? [call] : []
    })
    // One call with two results is nothing that a client sends.
    return new Set(ids.filter((each, index) => ids.indexOf(each) === index && ids.lastIndexOf(each) === index))
  }
  if (format === 'generate-content') {
    const calls = parts.flatMap(({ role, call }) => (role === 'tool' && call !== undefined ? [call] : []))
    return new Set(calls.filter((call) => answerPath(item, call) !== undefined))
  }
  if (format === 'chat-completions') return fields['role'] === 'tool' && isTexts(fields['content']) ? one : new Set()
  const isOutput = outputs.has(textOf(fields['type']) ?? '')
  return isOutput && isTexts(fields['output']) ? one : new Set()
}

const outputs: ReadonlySet<string> = new Set(['function_call_output', 'custom_tool_call_output'])

const shown: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text', 'image', 'input_image', 'document'])

function isTexts(content: unknown): boolean {
  return (
    typeof content === 'string' ||
    (Array.isArray(content) && content.every((each) => shown.has(fieldsOf(each)['type'])))
  )
}
