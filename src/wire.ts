/**
 * The formats of APIs, each in one place: what a body says and what an answer says, in any form that programs and servers give
 * it, and how servers refuse. Pure: values and bytes in, parts and answers out.
 */
export { tokensWritten, type WireAnswer } from './wire/answer-draft.ts'
export {
  conversationOf,
  type ConversationRules,
  ignoredIn,
  lastMessageOf,
  UnreadablePart,
} from './wire/conversation.ts'
export { answerFilter, bodyParts, type ConversationFormat, formatReaders, type WireFormat } from './wire/formats.ts'
export { answerField } from './wire/generate-content.ts'
export { detectOverflow, providerSentence } from './wire/refusal.ts'
export { countOf, isAddress, jsonOf, marked, textOf, type WireMedia, type WirePart } from './wire/part.ts'
export { type EventFilter } from './wire/answer-stream.ts'
export { responseReader } from './wire/response-reader.ts'
export { checkedUsage, MOST_TOKENS, UNREPORTED_USAGE, type Usage, usageReader } from './wire/usage.ts'
