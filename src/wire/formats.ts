import { elementsOf } from '../platform.ts'
import { chatCompletions } from './chat-completions.ts'
import { embeddings } from './embeddings.ts'
import type { FormatReader } from './format-reader.ts'
import { messages } from './messages.ts'
import { bodyParameters } from './parameters.ts'
import { type JsonFields, otherPart, type WirePart } from './part.ts'
import { responses } from './responses.ts'

/** The formats of APIs with conversations: Anthropic's Messages, and OpenAI's Responses and Chat Completions. */
export type ConversationFormat = 'messages' | 'responses' | 'chat-completions'

export const conversationFormats: readonly ConversationFormat[] = ['messages', 'responses', 'chat-completions']

/** The formats of APIs whose bodies are understood. */
export type WireFormat = ConversationFormat | 'embeddings'

export const wireFormats: readonly WireFormat[] = [...conversationFormats, 'embeddings']

export const formatReaders: Readonly<Record<WireFormat, FormatReader>> = {
  messages,
  responses,
  'chat-completions': chatCompletions,
  embeddings,
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
