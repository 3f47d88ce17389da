import type { RequestView } from '../../capability.ts'
import { type AnyMessage, messageReasoning, messageText, outputText, toolCalls, toolResults } from '../../context.ts'
import type { Entry } from '../../session.ts'
import type { Conventions } from './conventions.ts'
import type { Attributes } from './span.ts'

/** Takes the secrets that are known out of a text. */
type Redact = (text: string) => string

/** The most characters of one text, and of all texts of one attribute. */
const LONGEST_TEXT = 20_000
const LONGEST_CONTENT = 200_000

/** What a call was sent and answered, as JSON in the shapes of the conventions. Where there is too much, the newest stays. */
export function callContent(
  request: RequestView | undefined,
  answer: AnyMessage | undefined,
  finish: string | undefined,
  { content: names }: Conventions,
  redact: Redact,
): Attributes {
  if (!names) return {}
  const system = request?.system
  return {
    [names.system]: system === undefined ? undefined : json([{ type: 'text', content: system }], redact),
    [names.input]: request && newest(request.messages.map((message) => json(messageParts(message), redact))),
    [names.output]: answer && json([{ ...messageParts(answer), finish_reason: finish ?? 'unknown' }], redact),
  }
}

export function toolContents(
  entries: readonly Entry[],
  { content: names }: Conventions,
  redact: Redact,
): ReadonlyMap<string, Attributes> {
  if (!names) return new Map()
  const found = new Map<string, Attributes>()
  for (const entry of entries) {
    if (entry.type === 'message') {
      for (const { toolCallId, input } of toolCalls(entry.message)) {
        found.set(toolCallId, { [names.toolInput]: json(input, redact) })
      }
    } else if (entry.type === 'tool-end') {
      const result = shortened(redact(entry.output))
      found.set(entry.toolCallId, { ...found.get(entry.toolCallId), [names.toolResult]: result })
    }
  }
  return found
}

function messageParts(message: AnyMessage): object {
  const reasoning = messageReasoning(message)
  const text = messageText(message)
  return {
    role: message.role,
    parts: [
      ...(reasoning === '' ? [] : [{ type: 'reasoning', content: reasoning }]),
      ...(text === '' ? [] : [{ type: 'text', content: text }]),
      ...toolCalls(message).map(({ toolCallId, toolName, input }) => ({
        type: 'tool_call',
        id: toolCallId,
        name: toolName,
        arguments: input,
      })),
      ...toolResults(message).map(({ toolCallId, output }) => ({
        type: 'tool_call_response',
        id: toolCallId,
        result: outputText(output),
      })),
    ],
  }
}

/** A list of messages, the newest of those that fit. */
function newest(messages: readonly string[]): string {
  let room = LONGEST_CONTENT
  const kept = messages.toReversed().filter((message, index) => {
    room -= message.length
    return room >= 0 || index === 0
  })
  return `[${kept.toReversed().join(',')}]`
}

/** Secrets are taken out of each text before it is written as JSON, which would change how they look. */
function json(value: unknown, redact: Redact): string {
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? shortened(redact(inner)) : inner))
}

function shortened(text: string): string {
  if (text.length <= LONGEST_TEXT) return text
  return `${text.slice(0, LONGEST_TEXT).toWellFormed()}… [${text.length - LONGEST_TEXT} more characters]`
}
