import { createParser } from 'eventsource-parser'
import { defined, elementsOf, fieldsOf, isObject, parseJson } from '../platform.ts'
import { providerSentence } from './provider-sentence.ts'

/** Passes the events of one stream on, as text of server-sent events. */
export interface EventFilter {
  /** What may be read by now, of the stream as it comes, cut anywhere. */
  next(text: string): string
  /** Whether the provider has said that the answer is over: what follows is not read. */
  isOver(): boolean
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Passes on a stream of Chat Completions in the form that its library reads. What servers do otherwise and can mean only one
 * thing is brought into that form: missing choices, `null`s, events that say nothing, usage elsewhere, calls that come again,
 * and failures of every shape. What follows `[DONE]` is no part of the answer.
 */
export function chatChunks(): EventFilter {
  let out = ''
  let isOver = false
  const isRepeated = repeatedCalls()
  const parser = createParser({
    onEvent({ event, data }) {
      if (isOver || data.trim() === '') return
      isOver = data.trim() === '[DONE]'
      const value = isOver ? undefined : parseJson(data)
      // What is no JSON is reported by the library.
      const corrected = value === undefined ? data : correctedEvent(value, event, isRepeated)
      if (corrected !== undefined) out += `data: ${corrected}\n\n`
    },
  })
  return {
    next(text) {
      parser.feed(text)
      const ready = out
      out = ''
      return ready
    },
    isOver: () => isOver,
  }
}

function correctedEvent(value: unknown, event: string | undefined, isRepeated: CallFilter): string | undefined {
  if (!isObject(value)) return undefined
  const failure = failureIn(value, event)
  if (failure) return JSON.stringify({ error: failure })
  const choices = elementsOf(value['choices']).filter(isObject)
  const usage = usageIn(value, choices)
  return JSON.stringify({
    ...value,
    id: textOf(value['id']),
    model: textOf(value['model']),
    created: typeof value['created'] === 'number' ? value['created'] : undefined,
    error: undefined,
    choices: choices.map((choice) => correctedChoice(choice, isRepeated)),
    usage,
  })
}

/** The failure that an event reports. Some servers give it no field of its own. */
function failureIn(value: Fields, event: string | undefined): Fields | undefined {
  const { error, object, code, type } = value
  const isReported = Boolean(error) || object === 'error' || event === 'error'
  if (!isReported && (value['choices'] !== undefined || !('message' in value || 'detail' in value))) return undefined
  const inner = fieldsOf(error)
  return {
    message: providerSentence(value) ?? JSON.stringify(value),
    ...defined({ type: inner['type'] ?? type, code: inner['code'] ?? code ?? inner['status'] ?? value['status'] }),
  }
}

function correctedChoice(choice: Fields, isRepeated: CallFilter): Fields {
  const { finish_reason: reason } = choice
  const said = fieldsOf(choice['delta'] ?? choice['message'])
  const calls = said['tool_calls'] ?? (isObject(said['function_call']) ? { index: 0, ...said['function_call'] } : [])
  const thinking = [
    said['reasoning_content'],
    said['reasoning'],
    said['thinking'],
    partsText(said['content'], 'thinking'),
  ]
  const toolCalls = (Array.isArray(calls) ? calls : [calls])
    .filter(isObject)
    .map(correctedCall)
    .filter((call) => !isRepeated(call))
  return {
    ...choice,
    delta: {
      ...said,
      role: undefined,
      content: textOf(said['content']) ?? textOf(partsText(said['content'], 'text')),
      refusal: textOf(said['refusal']),
      reasoning: undefined,
      reasoning_content: thinking.find((text) => textOf(text) !== undefined),
      tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
    },
    finish_reason: typeof reason === 'string' && reason !== '' ? reason : null,
  }
}

/** The text of a list of parts, of those of this type: a server may write the content of an answer so. */
function partsText(content: unknown, type: 'text' | 'thinking'): string {
  return elementsOf(content)
    .map(fieldsOf)
    .filter((part) => part['type'] === type)
    .map((part) => textOf(part[type]) ?? partsText(part[type], 'text'))
    .join('')
}

interface CallPiece {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly function: { readonly name: string | undefined; readonly arguments: string }
  readonly extra_content?: unknown
}

function correctedCall(call: Fields): CallPiece {
  const about = isObject(call['function']) ? call['function'] : call
  const { arguments: input } = about
  return {
    index: typeof call['index'] === 'number' ? call['index'] : undefined,
    id: textOf(call['id']),
    function: {
      name: textOf(about['name']),
      arguments: typeof input === 'string' ? input : isObject(input) ? JSON.stringify(input) : '',
    },
    ...(isObject(call['extra_content']) && { extra_content: call['extra_content'] }),
  }
}

type CallFilter = (piece: CallPiece) => boolean

/** Whether a piece is a whole call that has come before, which would run twice: the same id, name and arguments. */
function repeatedCalls(): CallFilter {
  const calls: { id: string | undefined; index: number | undefined; name: string; input: string }[] = []
  return ({ id, index, function: { name, arguments: input } }) => {
    const known = calls.findLast((call) => (id === undefined ? call.index === index : call.id === id))
    if (known && name !== undefined && id !== undefined && known.name === name && isSameInput(known.input, input)) {
      return true
    }
    if (known && (id === undefined || name === undefined || known.index === index)) known.input += input
    else if (name !== undefined) calls.push({ id, index, name, input })
    return false
  }
}

function isSameInput(one: string, other: string): boolean {
  return isObject(parseJson(one)) && JSON.stringify(parseJson(one)) === JSON.stringify(parseJson(other))
}

/** Usage, wherever a server puts it. A count below 0 is no count, and a prompt of no tokens is no report. */
function usageIn(value: Fields, choices: readonly Fields[]): Fields | undefined {
  const places = [value['usage'], ...choices.map((choice) => choice['usage']), fieldsOf(value['x_groq'])['usage']]
  const found = places.find(isObject)
  if (!found) return undefined
  const counts = Object.fromEntries(Object.entries(found).flatMap(([name, count]) => countedField(name, count)))
  return counts['prompt_tokens'] === 0 || Object.keys(counts).length === 0 ? undefined : counts
}

function countedField(name: string, value: unknown): [string, unknown][] {
  if (isObject(value)) {
    return [[name, Object.fromEntries(Object.entries(value).flatMap(([inner, count]) => countedField(inner, count)))]]
  }
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof count === 'number' && count >= 0 && Number.isFinite(count) ? [[name, count]] : []
}

/** A text that is not empty. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
