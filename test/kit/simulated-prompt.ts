import { fieldsOf } from '../../src/platform.ts'
import { inputText, type ScriptedAnswer, type ScriptedRequest } from '../../src/testing/scripted-provider-answer.ts'

/** A piece of a prompt as a provider reads it. */
export interface PromptBlock {
  readonly text: string
  /** Ends a message of the user or the results of tools. */
  readonly asks: boolean
  /** A mark behind it, and how long it asks to be kept: `undefined` for the usual time. */
  readonly mark?: { readonly seconds: number | undefined }
}

/** What a provider reads of a request, in its order: tools, system, messages. */
export function promptBlocks({ body }: Pick<ScriptedRequest, 'body'>): readonly PromptBlock[] {
  const tools = listOf(body['tools']).map((tool) => block(`tool ${JSON.stringify(withoutMarks(tool))}`, tool))
  const heads = [...contentBlocks('system', body['system']), ...contentBlocks('system', body['instructions'])]
  const blocks = [...tools, ...heads, ...listOf(body['messages'] ?? body['input']).flatMap(messageBlocks)]
  // A mark of the whole body is behind its last block.
  const whole = markOf(body)
  return whole ? blocks.map((each, index) => (index + 1 === blocks.length ? { mark: whole, ...each } : each)) : blocks
}

/** An answer as it stands in the prompt of the next call, where it is sent back unchanged. */
export function answerBlocks({ text = '', reasoning, toolCalls = [] }: ScriptedAnswer): readonly PromptBlock[] {
  const joined = (pieces: string | readonly string[]) => (typeof pieces === 'string' ? pieces : pieces.join(''))
  return messageBlocks({
    role: 'assistant',
    content: joined(text),
    ...(reasoning !== undefined && { reasoning_content: joined(reasoning) }),
    tool_calls: toolCalls.map(({ name, input }) => ({ function: { name, arguments: inputText(input) } })),
  })
}

type Fields = Readonly<Record<string, unknown>>

function messageBlocks(message: Fields): readonly PromptBlock[] {
  const { role, type, content } = message
  if (type === 'function_call') return [block(callText(message['name'], message['arguments']), message)]
  if (type === 'function_call_output') return contentBlocks('tool', message['output'], true)
  if (type === 'reasoning') return [block(`thinking ${JSON.stringify(message['summary'] ?? '')}`, message)]
  const thinking = message['reasoning_content'] ?? message['thinking']
  const calls = listOf(message['tool_calls']).map((call) => {
    const { name, arguments: input } = fieldsOf(call['function'])
    return block(callText(name, input), call)
  })
  return [
    ...(typeof thinking === 'string' ? [block(`thinking ${thinking}`, {})] : []),
    ...contentBlocks(typeof role === 'string' ? role : 'user', content, role === 'user' || role === 'tool'),
    ...calls,
  ]
}

function contentBlocks(role: string, content: unknown, asks = false): readonly PromptBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: `${role}\n${content}`, asks }]
  return listOf(content).map((part) => block(`${role}\n${partText(part)}`, part, asks))
}

function partText(part: Fields): string {
  if (typeof part['text'] === 'string') return part['text']
  if (part['type'] === 'tool_use') return callText(part['name'], part['input'])
  const { content } = part
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return listOf(content).map(partText).join('\n')
  return JSON.stringify(withoutMarks(part))
}

/** Arguments are compared as values: they are written differently on the way back. */
function callText(name: unknown, input: unknown): string {
  let value = input
  try {
    value = typeof input === 'string' ? JSON.parse(input) : input
  } catch {
    // What is no JSON is compared as it is.
  }
  return `call ${String(name)} ${JSON.stringify(value)}`
}

function block(text: string, fields: Fields, asks = false): PromptBlock {
  const mark = markOf(fields)
  return { text, asks, ...(mark && { mark }) }
}

const MARKS = ['cache_control', 'prompt_cache_breakpoint']
const LIVES: Readonly<Record<string, number>> = { '5m': 300, '30m': 1800, '1h': 3600, '12h': 43_200 }

function markOf(fields: Fields): PromptBlock['mark'] {
  const name = MARKS.find((field) => fields[field] !== undefined && fields[field] !== null)
  if (name === undefined) return undefined
  return { seconds: LIVES[String(fieldsOf(fields[name])['ttl'])] }
}

function withoutMarks(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !MARKS.includes(name)))
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}
