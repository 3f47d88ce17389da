import { elementsOf, fieldsOf, isObject } from '../platform.ts'
import { type AnswerDraft, errorFacts } from './answer-draft.ts'
import {
  type EventFilter,
  eventFilter,
  failureIn,
  filledText,
  type FormatReader,
  inputJson,
  sameJson,
  UNNAMED,
} from './answer-stream.ts'
import {
  callPart,
  contentParts,
  countOf,
  type JsonFields,
  marked,
  markedLast,
  opened,
  otherPart,
  otherResult,
  placed,
  reasoningPart,
  restParts,
  resultPart,
  textOf,
  unread,
  type WirePart,
  type WireRole,
  wireRoles,
} from './part.ts'
import { parsedInput, readContentPart, readFunctions } from './responses.ts'

/** The parts of a body of OpenAI's Chat Completions, in the order in which the model reads them. */
function* partsOf(body: JsonFields): Generator<WirePart> {
  for (const tool of [...elementsOf(body['tools']), ...elementsOf(body['functions'])]) yield* readFunctions(tool)
  const format = fieldsOf(body['response_format'])
  if (format['type'] === 'json_schema') yield { ...otherPart('system', format), leads: true, field: 'format' }
  for (const [at, message] of elementsOf(body['messages']).entries())
    yield* placed(readMessage(message), `messages.${at}`)
}

function readMessage(value: unknown): readonly WirePart[] {
  const message = fieldsOf(value)
  const role = textOf(message['role']) ?? ''
  if (role === 'tool' || role === 'function') return opened(readResult(message), 'user')
  const says = wireRoles.get(role)
  if (says === undefined) return opened([otherPart('user', value)], 'user')
  const rest = unread(message, ['role', 'content', 'refusal', 'tool_calls', ...reasoningKeys])
  const { content, refusal } = message
  const said = [...readSaid(says, content), ...(refusal ? readSaid(says, refusal) : [])]
  const parts = [...readReasoning(message), ...said, ...readCalls(message)]
  return opened(markedLast([...parts, ...restParts(says, rest)], message), says)
}

/** An answer with nothing but calls has an empty text. */
function readSaid(role: WireRole, content: unknown): readonly WirePart[] {
  return content === '' && role === 'assistant' ? [] : contentParts(role, content, readContentPart)
}

const reasoningKeys: readonly string[] = ['reasoning_content', 'reasoning']

function readReasoning(message: JsonFields): readonly WirePart[] {
  return reasoningKeys.flatMap((key) => {
    const value = message[key]
    if (value === undefined || value === null || value === '') return []
    return [typeof value === 'string' ? reasoningPart(value, undefined) : otherPart('assistant', value)]
  })
}

function readCalls(message: JsonFields): readonly WirePart[] {
  const calls = message['tool_calls']
  if (calls !== undefined && calls !== null && !Array.isArray(calls)) return [otherPart('assistant', calls)]
  return elementsOf(calls).flatMap((value, at) => placed(readCall(value), `tool_calls.${at}`))
}

function readCall(value: unknown): readonly WirePart[] {
  const call = fieldsOf(value)
  const about = fieldsOf(call['function'] ?? call['custom'])
  const [id, name] = [textOf(call['id']), textOf(about['name'])]
  const input = textOf(about['arguments']) ?? textOf(about['input'])
  if (!id || !name || input === undefined) return [otherPart('assistant', value)]
  const rest = { ...unread(call, ['type', 'function', 'custom']), ...unread(about, ['name', 'arguments', 'input']) }
  const more = Object.keys(rest).length === 0 ? undefined : rest
  return [callPart(id, name, parsedInput(input), input), ...restParts('assistant', more)]
}

function readResult(message: JsonFields): readonly WirePart[] {
  const id = textOf(message['tool_call_id']) ?? textOf(message['name']) ?? ''
  const { content } = message
  const more = restParts('tool', unread(message, ['role', 'tool_call_id', 'content', 'name']))
  if (typeof content === 'string') return [marked(resultPart(id, content), message), ...more]
  if (!Array.isArray(content)) {
    return [content === undefined || content === null ? resultPart(id, '') : otherResult(id, content), ...more]
  }
  const parts = content.flatMap((value, at) => placed(readResultPart(id, value), `content.${at}`))
  return [...(parts.length === 0 ? [resultPart(id, '')] : parts), ...more]
}

function readResultPart(id: string, value: unknown): readonly WirePart[] {
  const part = fieldsOf(value)
  const text = part['type'] === 'text' ? textOf(part['text']) : undefined
  if (text === undefined) return [marked(otherResult(id, value), part)]
  return [marked(resultPart(id, text), part), ...restParts('tool', unread(part, ['type', 'text']))]
}

/** Reads a chunk of a stream of OpenAI's Chat Completions, or a whole completion. Of several choices the first is the answer. */
function readAnswer(draft: AnswerDraft, completion: JsonFields): void {
  const error = errorFacts(completion['error'])
  if (error) draft.fail(error.code, error.message)
  draft.set({ model: completion['model'], id: completion['id'] })
  for (const choice of elementsOf(completion['choices']).map(fieldsOf)) {
    const said = fieldsOf(choice['delta'] ?? choice['message'])
    if ((choice['index'] ?? 0) !== 0) {
      draft.beside(said['content'] ?? said['refusal'])
      continue
    }
    draft.set({ finish: choice['finish_reason'] })
    addSaid(draft, said)
  }
}

function addSaid(draft: AnswerDraft, said: JsonFields): void {
  draft.addReasoning(said['reasoning_content'] ?? said['reasoning'])
  draft.addText(said['content'] ?? said['refusal'])
  for (const [position, value] of elementsOf(said['tool_calls']).entries()) {
    const call = fieldsOf(value)
    const about = fieldsOf(call['function'] ?? call['custom'])
    const key = String(countOf(call['index']) ?? position)
    draft.call(key, { id: call['id'], name: about['name'] })
    const json = textOf(about['arguments'] ?? about['input'])
    if (json) draft.addInput(key, json)
  }
  const former = fieldsOf(said['function_call'])
  if (typeof former['name'] === 'string' || typeof former['arguments'] === 'string') {
    draft.call('function', { name: former['name'] })
    draft.addInput('function', former['arguments'])
  }
}

/** OpenAI's Chat Completions. */
export const chatCompletions: FormatReader = {
  fields: ['tools', 'functions', 'messages', 'response_format'],
  parts: partsOf,
  event: readAnswer,
  answer: readAnswer,
}

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

function correctedChoice(choice: JsonFields, callsOf: CallPieces): JsonFields {
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

function correctedCall(call: JsonFields): CallPiece {
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
