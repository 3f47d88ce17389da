import { elementsOf, fieldsOf, isObject } from '../platform.ts'
import { type EventFilter, eventFilter, failureIn, sameJson } from './event-filter.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Passes on a stream of Chat Completions in the form that its library reads. What servers do otherwise and can mean only one
 * thing is brought into that form: missing choices, `null`s, events that say nothing, calls that come again, and failures of
 * every shape. What follows `[DONE]` is no part of the answer.
 */
export function chatChunks(): EventFilter {
  const isRepeated = repeatedCalls()
  let hasReason = false
  return eventFilter({
    events(value, type) {
      const failure = failureIn(value, type)
      if (failure) return [{ error: failure }]
      const choices = elementsOf(value['choices'])
        .filter(isObject)
        // Of several choices the first is the answer.
        .filter((choice) => (choice['index'] ?? 0) === 0 || typeof choice['index'] !== 'number')
        .map((choice) => correctedChoice(choice, isRepeated))
      hasReason ||= choices.some((choice) => choice['finish_reason'] !== null)
      return [
        {
          ...value,
          id: textOf(value['id']),
          model: textOf(value['model']),
          created: typeof value['created'] === 'number' ? value['created'] : undefined,
          error: undefined,
          choices,
          usage: undefined,
        },
      ]
    },
    hasReason: () => hasReason,
    isOver: () => false,
  })
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
    if (known && name !== undefined && id !== undefined && known.name === name && sameJson(known.input, input)) {
      return true
    }
    if (known && (id === undefined || name === undefined || known.index === index)) known.input += input
    else if (name !== undefined) calls.push({ id, index, name, input })
    return false
  }
}

/** A text that is not empty. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
