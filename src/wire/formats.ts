import { elementsOf } from '../platform.ts'
import { chatCompletions } from './chat-completions.ts'
import { type EventFilter, eventFilter, failureIn, type FormatReader } from './answer-stream.ts'
import { messages } from './messages.ts'
import { bodyParameters } from './parameters.ts'
import { type JsonFields, opened, otherPart, textPart, type WirePart } from './part.ts'
import { responses } from './responses.ts'

/** The formats of APIs with conversations: Anthropic's Messages, and OpenAI's Responses and Chat Completions. */
export type ConversationFormat = 'messages' | 'responses' | 'chat-completions'

export const conversationFormats: readonly ConversationFormat[] = ['messages', 'responses', 'chat-completions']

/** The formats of APIs whose bodies are understood. */
export type WireFormat = ConversationFormat | 'embeddings'

export const wireFormats: readonly WireFormat[] = [...conversationFormats, 'embeddings']

/** The texts of a request for embeddings in OpenAI's format. Texts that come as numbers of tokens are kept as they are. */
function* textsToEmbed(body: JsonFields): Generator<WirePart> {
  const { input } = body
  if (input === undefined || input === null) return
  const isList = Array.isArray(input) && !input.every((value) => typeof value === 'number')
  for (const value of isList ? input : [input]) {
    const part = typeof value === 'string' ? textPart('user', value) : otherPart('user', value)
    yield* opened([part], 'user')
  }
}

/** OpenAI's format for embeddings. The vectors of an answer are not kept: they can be made again. */
const embeddings: FormatReader = {
  fields: ['input'],
  parts: textsToEmbed,
  correction: () => ({
    events(value, type) {
      const error = failureIn(value, type)
      return [error ? { error } : value]
    },
    hasReason: () => false,
    isOver: () => false,
  }),
  asEvent: (answer) => answer,
  // An answer of vectors has no tokens.
  add: (draft) => draft.report({ usage: { completion_tokens: 0 } }),
}

export const formatReaders: Readonly<Record<WireFormat, FormatReader>> = {
  messages,
  responses,
  'chat-completions': chatCompletions,
  embeddings,
}

/** Passes a stream of this format on in the form in which its library reads it. What is no JSON is reported by the library. */
export function answerFilter(format: ConversationFormat): EventFilter {
  return eventFilter(formatReaders[format].correction())
}

/** All parts of a body: what a reader does not know is a part `other`, with the field in which it stands. */
export function* bodyParts(format: WireFormat, body: unknown): Generator<WirePart> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    if (body !== undefined) yield { ...otherPart('user', body), opens: true, field: 'body' }
    return
  }
  const { parts, fields } = formatReaders[format]
  yield* parts(body as JsonFields)
  for (const [field, value] of Object.entries(body)) {
    const isRead = fields.includes(field) ? hasReadShape(field, value) : bodyParameters.has(field) || value === null
    if (!isRead) yield { ...otherPart('user', value), field }
  }
}

const lists: ReadonlySet<string> = new Set(['tools', 'functions', 'messages'])

/** A field that should be a list and is none was not read. */
function hasReadShape(field: string, value: unknown): boolean {
  return !lists.has(field) || Array.isArray(value) || value === null || elementsOf(value).length > 0
}
