import { elementsOf } from '../platform.ts'
import { chatCompletions } from './chat-completions.ts'
import { type EventFilter, eventFilter, failureAlone, type FormatReader } from './answer-stream.ts'
import { generateContent } from './generate-content.ts'
import { messages } from './anthropic-messages.ts'
import { type JsonFields, opened, otherPart, textPart, type WirePart } from './part.ts'
import { responses } from './responses.ts'

/** The formats of conversations: Anthropic's Messages, OpenAI's Responses and Chat Completions, and Gemini's. */
export type ConversationFormat = 'messages' | 'responses' | 'chat-completions' | 'generate-content'

export const conversationFormats: readonly ConversationFormat[] = [
  'messages',
  'responses',
  'chat-completions',
  'generate-content',
]

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
  correction: () => failureAlone(),
  asEvent: (answer) => answer,
  // An answer of vectors has no tokens.
  add: (draft) => draft.report({ usage: { completion_tokens: 0 } }),
}

export const formatReaders: Readonly<Record<WireFormat, FormatReader>> = {
  messages,
  responses,
  'chat-completions': chatCompletions,
  'generate-content': generateContent,
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

/**
 * Fields of a body that no model reads as a text: parameters of the call, and what a client says of itself. A field that is
 * neither here nor read counts as an entry of its own.
 */
const bodyParameters: ReadonlySet<string> = new Set(
  `
  anthropic_beta anthropic_version audio background betas cache_control client_metadata container context_management
  conversation diagnostics dimensions effort enable_thinking encoding_format frequency_penalty function_call include
  inference_geo input_type labels logit_bias logprobs max_completion_tokens max_output_tokens max_tokens max_tool_calls
  mcp_servers metadata min_p modalities model moderation n options output_config output_format parallel_tool_calls
  prediction presence_penalty previous_response_id promptCacheKey prompt_cache_key prompt_cache_options
  prompt_cache_retention provider reasoning reasoning_effort reasoning_summary repetition_penalty safety_identifier
  safetySettings safety_settings seed serviceTier service_tier session_id speed stop stop_sequences store stream stream_options temperature thinking
  toolConfig tool_choice tool_config tool_stream top_k top_logprobs top_p truncation usage user user_id verbosity web_search_options
  `.match(/\w+/g),
)

const lists: ReadonlySet<string> = new Set(['tools', 'functions', 'messages', 'contents'])

/** A field that should be a list and is none was not read. */
function hasReadShape(field: string, value: unknown): boolean {
  return !lists.has(field) || Array.isArray(value) || value === null || elementsOf(value).length > 0
}
