import { type Frame, inFrame, unframed } from './frame.ts'
import { type MarkerCode, markImages } from './image-marker.ts'
import { isImageNote } from './marked-result.ts'
import { holdsMedia, type Message, outputText, type ToolOutput, type ToolResultPart, toolResults } from './message.ts'
import { messageTokens, rewrittenTokens, type TokenCounter } from './token-counter.ts'
import type { TurnMessage } from './turn.ts'
import { cutText } from './cut-text.ts'

/** How much of a tool's output a message still shows. */
export type OutputForm = 'full' | 'tool-output-excerpt' | 'tool-output-cleared'

/** From the fullest to the smallest. */
export const outputForms: readonly OutputForm[] = ['full', 'tool-output-excerpt', 'tool-output-cleared']

/** Characters that an excerpt keeps, and the share of them that the beginning gets. The end has the rest. */
const EXCERPT_CHARACTERS = 1600
const HEAD_SHARE = 0.75

/** A message with its cost known. */
export interface PricedMessage extends TurnMessage {
  readonly tokens: number
  /** Where markers are sent in the place of images: how many, why, and what the message costs with its images. */
  readonly marked?: { readonly images: number; readonly code: MarkerCode; readonly fullTokens: number }
}

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
  if (form === 'full') return { ...priced, form }
  const changed = smallerMessage(priced, form, counter, (part) => {
    if (kept?.has(part.toolName)) return part.output
    const { text, frame } = contentOf(part)
    if (form === 'tool-output-cleared')
      return smallerOutput(part, { text }, `[${text.length} characters of output cleared${howToRead(part, reader)}]`)
    return smallerOutput(part, { text, frame }, excerptText(text, EXCERPT_CHARACTERS, part, reader))
  })
  // Without its pictures a result can be shorter than the note of its size: then the excerpt is the smallest form.
  if (form !== 'tool-output-cleared' || !toolResults(priced.message).some(({ output }) => holdsMedia(output))) {
    return changed
  }
  const excerpt = inForm(priced, 'tool-output-excerpt', counter, reader, kept)
  return excerpt.tokens <= changed.tokens ? excerpt : changed
}

/**
 * A message with each of its tool results cut to `characters` of its beginning and end, or as it is where that saves
 * nothing. Every note names the tool that reads the rest where `reader` is offered.
 */
export function excerptedTo(
  priced: PricedMessage,
  characters: number,
  counter: TokenCounter,
  reader: string | undefined,
): FormedMessage {
  return smallerMessage(priced, 'tool-output-excerpt', counter, (part) => {
    const { text, frame } = contentOf(part)
    const excerpt = excerptText(text, characters, part, reader)
    // Where pictures go, a text that is hardly too long stays whole: an excerpt for more room is never the shorter one.
    return smallerOutput(part, { text, frame }, excerpt.length < text.length ? excerpt : text)
  })
}

/** What a message can cost at least in a history: with its tool results cleared, for a model that sees no images. */
export function leastTokens(message: Message, tokens: number, counter: TokenCounter, reader?: string): number {
  const marked = counter.made ? undefined : markImages(message, { seen: false, inResults: false, byAddress: false })
  const versions = [{ message, tokens }]
  if (marked) versions.push({ message: marked.message, tokens: messageTokens(counter, marked.message) })
  return Math.min(
    ...versions.map((each) =>
      each.message.role === 'tool' ? inForm(each, 'tool-output-cleared', counter, reader).tokens : each.tokens,
    ),
  )
}

function smallerMessage(
  priced: PricedMessage,
  form: OutputForm,
  counter: TokenCounter,
  change: (part: ToolResultPart) => ToolOutput,
): FormedMessage {
  const whole: FormedMessage = { ...priced, form: 'full' }
  const message = withOutputs(priced.message, change)
  if (message === priced.message) return whole
  const tokens = rewrittenTokens(counter, message)
  return tokens < priced.tokens ? { message, tokens, form } : whole
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

/** What a tool said, apart from the frame that it stands in. */
interface Content {
  readonly text: string
  readonly frame?: Frame | undefined
}

/** Images are named behind the text, without the note before them: they are in no smaller form. */
function contentOf({ output }: ToolResultPart): Content {
  const [first, ...rest] =
    output.type === 'content'
      ? output.value.filter((part) => !isImageNote(part))
      : [{ type: 'text' as const, text: outputText(output) }]
  const frame = first?.type === 'text' ? unframed(first.text) : undefined
  const value = frame ? [{ type: 'text' as const, text: frame.text }, ...rest] : first ? [first, ...rest] : []
  return { text: outputText({ type: 'content', value }), frame }
}

/** An excerpt stays in its frame; a note of a size is the core's own and needs none. */
function smallerOutput(part: ToolResultPart, { text, frame }: Content, smaller: string): ToolOutput {
  if (smaller.length >= text.length && !holdsMedia(part.output)) return part.output
  const failed = part.output.type === 'error-text' || part.output.type === 'error-json'
  return { type: failed ? 'error-text' : 'text', value: frame ? inFrame(frame, smaller) : smaller }
}

/** Whether a result is nothing but the note that its text was cleared. */
export function isClearedOutput(text: string): boolean {
  return CLEARED.test(text)
}

const CLEARED = /^\[\d+ characters of output cleared(?:; [\w-]+ shows them, call [^\s\]]{1,200})?\]$/

function excerptText(text: string, characters: number, part: ToolResultPart, reader: string | undefined): string {
  return cutText(text, { most: characters, headShare: HEAD_SHARE, how: () => howToRead(part, reader) })
}

function howToRead(part: ToolResultPart, reader: string | undefined): string {
  return reader ? `; ${reader} shows them, call ${part.toolCallId}` : ''
}
