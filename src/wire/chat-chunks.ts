import { elementsOf, fieldsOf, isObject } from '../platform.ts'
import { type EventFilter, eventFilter, failureIn, filledText, inputJson, sameJson, UNNAMED } from './event-filter.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Passes on a stream of Chat Completions in the form that its library reads. What servers do otherwise and can mean only one
 * thing is brought into that form: missing choices, `null`s, events that say nothing, calls that come again, and failures of
 * every shape. What follows `[DONE]` is no part of the answer.
 */
export function chatChunks(): EventFilter {
  const calls = callPieces()
  let hasReason = false
  return eventFilter({
    events(value, type) {
      const failure = failureIn(value, type)
      if (failure) return [{ error: failure }]
      const choices = elementsOf(value['choices'])
        .filter(isObject)
        // Of several choices the first is the answer.
        .filter((choice) => (choice['index'] ?? 0) === 0 || typeof choice['index'] !== 'number')
        .map((choice) => correctedChoice(choice, calls))
      hasReason ||= choices.some((choice) => choice['finish_reason'] !== null)
      return [
        {
          id: filledText(value['id']),
          model: filledText(value['model']),
          created: typeof value['created'] === 'number' ? value['created'] : undefined,
          choices,
        },
      ]
    },
    hasReason: () => hasReason,
    isOver: () => false,
  })
}

function correctedChoice(choice: Fields, callsOf: CallPieces): Fields {
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
    .flatMap((call) => callsOf.add(correctedCall(call)))
  const isLast = typeof reason === 'string' && reason !== ''
  const all = isLast ? [...toolCalls, ...callsOf.end()] : toolCalls
  return {
    index: 0,
    delta: {
      content:
        filledText(said['content']) ?? filledText(partsText(said['content'], 'text')) ?? filledText(said['refusal']),
      reasoning_content: thinking.find((text) => filledText(text) !== undefined),
      tool_calls: all.length > 0 ? all : undefined,
    },
    finish_reason: isLast ? reason : null,
  }
}

/** The text of a list of parts, of those of this type: a server may write the content of an answer so. */
function partsText(content: unknown, type: 'text' | 'thinking'): string {
  return elementsOf(content)
    .map(fieldsOf)
    .filter((part) => part['type'] === type)
    .map((part) => filledText(part[type]) ?? partsText(part[type], 'text'))
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
    id: filledText(call['id']),
    function: {
      name: filledText(about['name']),
      arguments: inputJson(input),
    },
    ...(isObject(call['extra_content']) && { extra_content: call['extra_content'] }),
  }
}

interface KnownCall {
  readonly first: CallPiece
  /** Among the calls of the answer: servers may leave it out, or give it twice. */
  readonly at: number
  input: string
  isHeld: boolean
}

type CallPieces = ReturnType<typeof callPieces>

/**
 * The pieces of calls, each with the place of its call. A whole call that has come before is left out, since it would run twice:
 * the same id, name and arguments. A call waits for its name until the end of the answer.
 */
function callPieces() {
  const calls: KnownCall[] = []
  return {
    add(piece: CallPiece): readonly CallPiece[] {
      const { id, index } = piece
      const { name, arguments: input } = piece.function
      const known = calls.findLast(({ first }) => (id === undefined ? first.index === index : first.id === id))
      const isNamed = known?.first.function.name !== undefined
      if (known && isNamed && id !== undefined && known.first.function.name === name && sameJson(known.input, input)) {
        return []
      }
      if (!known || (id !== undefined && name !== undefined && isNamed && known.first.index !== index)) {
        calls.push({ first: piece, at: calls.length, input, isHeld: name === undefined })
        return name === undefined ? [] : [{ ...piece, index: calls.length - 1 }]
      }
      known.input += input
      if (!known.isHeld) return [{ ...piece, index: known.at }]
      if (name === undefined) return []
      known.isHeld = false
      return [{ ...known.first, index: known.at, function: { name, arguments: known.input } }]
    },
    /** The calls that never got a name. */
    end: (): readonly CallPiece[] =>
      calls
        .filter(({ isHeld }) => isHeld)
        .map((call) => {
          call.isHeld = false
          return { ...call.first, index: call.at, function: { name: UNNAMED, arguments: call.input } }
        }),
  }
}
