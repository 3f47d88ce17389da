import { type Message, outputText, type ToolOutput, type ToolResultPart } from './message.ts'
import { rewrittenTokens, type TokenCounter } from './token-counter.ts'
import type { TurnMessage } from './turn.ts'

/** How much of a tool's output a message still shows. */
export type OutputForm = 'full' | 'tool-output-excerpt' | 'tool-output-cleared'

/** From the fullest to the smallest. */
export const outputForms: readonly OutputForm[] = ['full', 'tool-output-excerpt', 'tool-output-cleared']

/** Characters that an excerpt keeps of the beginning and of the end. */
const HEAD = 1200
const TAIL = 400

/** A message with its cost known. */
export interface PricedMessage extends TurnMessage {
  readonly tokens: number
}

/** A message in one of its forms. */
export interface FormedMessage extends PricedMessage {
  readonly form: OutputForm
}

/**
 * A message with its tool results in a smaller form, or as it is where that saves nothing. `reader` is the tool that can
 * show the rest, if one is offered. Results of the tools in `kept` stay whole.
 */
export function inForm(
  priced: PricedMessage,
  form: OutputForm,
  counter: TokenCounter,
  reader: string | undefined,
  kept?: ReadonlySet<string>,
): FormedMessage {
  const whole: FormedMessage = { message: priced.message, tokens: priced.tokens, form: 'full' }
  if (form === 'full') return whole
  const message = withOutputs(priced.message, (part) =>
    kept?.has(part.toolName) ? part.output : smallerOutput(part, form, reader),
  )
  if (message === priced.message) return whole
  const tokens = rewrittenTokens(counter, message)
  return tokens < priced.tokens ? { message, tokens, form } : whole
}

/** What a message can cost at least in a history: with its tool results cleared. */
export function leastTokens(message: Message, tokens: number, counter: TokenCounter, reader?: string): number {
  return inForm({ message, tokens }, 'tool-output-cleared', counter, reader).tokens
}

/** The same message where no output changes. */
function withOutputs(message: Message, change: (part: ToolResultPart) => ToolOutput): Message {
  if (message.role !== 'tool') return message
  let changed = false
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result') return part
    const output = change(part)
    if (output === part.output) return part
    changed = true
    return { ...part, output }
  })
  return changed ? { ...message, content } : message
}

function smallerOutput(part: ToolResultPart, form: OutputForm, reader: string | undefined): ToolOutput {
  const text = outputText(part.output)
  const smaller = form === 'tool-output-cleared' ? clearedText(text, part, reader) : excerptText(text, part, reader)
  if (smaller.length >= text.length) return part.output
  const failed = part.output.type === 'error-text' || part.output.type === 'error-json'
  return { type: failed ? 'error-text' : 'text', value: smaller }
}

function clearedText(text: string, part: ToolResultPart, reader: string | undefined): string {
  return `[${text.length} characters of output cleared${howToRead(part, reader)}]`
}

function excerptText(text: string, part: ToolResultPart, reader: string | undefined): string {
  const left = text.length - HEAD - TAIL
  if (left <= 0) return text
  const note = `[${left} of ${text.length} characters left out${howToRead(part, reader)}]`
  return `${text.slice(0, HEAD)}\n${note}\n${text.slice(-TAIL)}`
}

function howToRead(part: ToolResultPart, reader: string | undefined): string {
  return reader ? `; ${reader} shows them, call ${part.toolCallId}` : ''
}
