import { elementsOf } from '../platform.ts'
import { type AnswerDraft, errorFacts } from './answer-draft.ts'
import { chatCompletions } from './chat-completions.ts'
import type { FormatReader } from './answer-stream.ts'
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

/** Reads what an answer reports. Its vectors are not kept: they can be made again. */
function readEmbeddings(draft: AnswerDraft, answer: JsonFields): void {
  const error = errorFacts(answer['error'])
  if (error) draft.fail(error.code, error.message)
  draft.set({ model: answer['model'] })
  // An answer of vectors has no tokens.
  draft.report({ usage: { completion_tokens: 0 } })
}

/** OpenAI's format for embeddings. */
const embeddings: FormatReader = {
  fields: ['input'],
  parts: textsToEmbed,
  event: readEmbeddings,
  answer: readEmbeddings,
}

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
