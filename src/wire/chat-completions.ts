import { elementsOf, fieldsOf, isObject } from '../platform.ts'
import type { AnswerDraft } from './answer-draft.ts'
import {
  type Correction,
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
  type JsonFields,
  marked,
  markedLast,
  opened,
  otherPart,
  otherResult,
  placed,
  readOnce,
  reasoningPart,
  restParts,
  resultPart,
  resultParts,
  textOf,
  unread,
  type WirePart,
  type WireRole,
  wireRoles,
} from './part.ts'
import { parsedInput, readContentPart, readFunctions } from './responses.ts'

/** The parts of a body of OpenAI's Chat Completions, in the order in which the model reads them. */
function* partsOf(body: JsonFields): Generator<WirePart> {
  const tools = [...elementsOf(body['tools']), ...elementsOf(body['functions'])]
  for (const [at, tool] of tools.entries()) yield* toolsOf(tool, at)
  const format = fieldsOf(body['response_format'])
  if (format['type'] === 'json_schema') yield { ...otherPart('system', format), leads: true, field: 'format' }
  for (const [at, message] of elementsOf(body['messages']).entries()) yield* messageOf(message, at)
}

const toolsOf = readOnce(readFunctions)
const messageOf = readOnce((message, at) => placed(readMessage(message), `messages.${at}`))

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
  const parts = resultParts(id, message['content'], (part) => readResultPart(id, part))
  const rest = restParts('tool', unread(message, ['role', 'tool_call_id', 'content', 'name']))
  return [...(typeof message['content'] === 'string' ? markedLast(parts, message) : parts), ...rest]
}

function readResultPart(id: string, value: unknown): readonly WirePart[] {
  const part = fieldsOf(value)
  const text = part['type'] === 'text' ? textOf(part['text']) : undefined
  if (text === undefined) return [marked(otherResult(id, value), part)]
  return [marked(resultPart(id, text), part), ...restParts('tool', unread(part, ['type', 'text']))]
}

/** OpenAI's Chat Completions. */
export const chatCompletions: FormatReader = {
  fields: ['tools', 'functions', 'messages', 'response_format'],
  parts: partsOf,
  correction: chatCorrection,
  asEvent: (completion) => completion,
  add: addChunk,
}

/**
 * Reads an answer of Chat Completions, whole or in chunks. What servers do otherwise and can mean only one thing is brought into
 * one form: missing choices, `null`s, events that say nothing, calls that come again, and failures of every shape.
 */
function chatCorrection(readsAll = false): Correction {
  const calls = callPieces(readsAll)
  let hasReason = false
  return {
    events(value, type) {
      const failure = failureIn(value, type)
      if (failure) return [{ error: failure }]
      const { id, model, created, choices } = value
      // Of several choices the first is the answer.
      const all = elementsOf(choices).filter(isObject)
      const read = all.filter(isFirst).map((choice) => correctedChoice(choice, calls))
      hasReason ||= read.some((choice) => choice['finish_reason'] !== null)
      return [
        {
          id: filledText(id),
          model: filledText(model),
          created: typeof created === 'number' ? created : undefined,
          choices: readsAll ? [...read, ...all.filter((choice) => !isFirst(choice))] : read,
        },
      ]
    },
    hasReason: () => hasReason,
    isOver: () => false,
  }
}

function isFirst({ index }: JsonFields): boolean {
  return (index ?? 0) === 0 || typeof index !== 'number'
}

function addChunk(draft: AnswerDraft, chunk: JsonFields): void {
  for (const choice of elementsOf(chunk['choices']).map(fieldsOf)) {
    const said = fieldsOf(choice['delta'] ?? choice['message'])
    if (choice['index'] !== 0) {
      draft.beside(said['content'] ?? said['refusal'])
      continue
    }
    draft.set({ finish: choice['finish_reason'] })
    draft.addReasoning(said['reasoning_content'])
    draft.addText(said['content'])
    for (const { index, id, function: about } of (said['tool_calls'] ?? []) as readonly CallPiece[]) {
      draft.call(String(index), { id, name: about.name })
      draft.addInput(String(index), about.arguments)
    }
  }
}

/** A library passes nothing on before it has read words, a call, or one of these. */
const REASONING_MARK = [{ type: 'url_citation', url_citation: { start_index: 0, end_index: 0, url: '', title: '' } }]

function correctedChoice(choice: JsonFields, callsOf: CallPieces): JsonFields {
  const { finish_reason: reason } = choice
  const said = fieldsOf(choice['delta'] ?? choice['message'])
  const calls = said['tool_calls'] ?? (isObject(said['function_call']) ? { index: 0, ...said['function_call'] } : [])
  const thinking = [
    said['reasoning_content'],
    said['reasoning'],
    said['thinking'],
    partsText(said['content'], 'thinking'),
  ].find((text) => filledText(text) !== undefined)
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
      reasoning_content: thinking,
      annotations: thinking === undefined ? undefined : REASONING_MARK,
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
  const about = [call['function'], call['custom']].find(isObject) ?? call
  return {
    index: typeof call['index'] === 'number' ? call['index'] : undefined,
    id: filledText(call['id']),
    function: {
      name: filledText(about['name']),
      arguments: inputJson(about['arguments'] ?? about['input']),
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
 * the same id, name and arguments. A call waits for its name until the end of the answer, unless all is read as it comes.
 */
function callPieces(readsAll: boolean) {
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
        const isHeld = name === undefined && !readsAll
        calls.push({ first: piece, at: calls.length, input, isHeld })
        return isHeld ? [] : [{ ...piece, index: calls.length - 1 }]
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
