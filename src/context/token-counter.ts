import { estimateTokenCount } from 'tokenx'
import { imageTokens, UNKNOWN_IMAGE_TOKENS } from './image-tokens.ts'
import { type AnyMessage, type Message, outputText, toolResults } from './message.ts'
import type { ToolDefinition } from './tool-definition.ts'
import { wordSlices } from './word-slices.ts'

/** Counts tokens. Its id and version stand in every manifest that it was used for. */
export interface TokenCounter {
  readonly id: string
  readonly version: string
  /** Tokens of one text. */
  text(text: string): number
  /**
   * The same sum in parts, each some milliseconds of work: for whoever counts long texts and must keep nobody waiting.
   * Absent where counting costs nothing.
   */
  slices?(text: string): Iterable<number>
  /** Tokens of a text that the core itself made, such as a cleared tool result. `text` where absent. */
  made?(text: string): number
  /** Tokens that the wrapper of each message and each tool costs. */
  readonly perMessage: number
  /** Whether images cost what their size says (BEHAVIOURS §3.4). */
  readonly images: boolean
}

/** Takes the numbers that are given and adds nothing. What the core makes costs ceil(characters / 4). */
export const declared: TokenCounter = {
  id: 'declared',
  version: '1',
  text: () => 0,
  made: (text) => Math.ceil(text.length / 4),
  perMessage: 0,
  images: false,
}

/** One token a character (UTF-16 unit), of texts and of the JSON of calls. */
export const chars: TokenCounter = {
  id: 'chars',
  version: '1',
  text: (text) => text.length,
  perMessage: 0,
  images: true,
}

/** One token for four characters, rounded up per text, of texts and of the JSON of calls. */
export const charsPerFour: TokenCounter = {
  id: 'chars/4',
  version: '1',
  text: (text) => Math.ceil(text.length / 4),
  perMessage: 0,
  images: true,
}

/** Characters: what a slice leaves behind is gone before the memory is looked through. */
const SLICE = 8_192

/** A fast estimate that fits no model exactly and every model roughly. Counts everything that is sent. */
export const tokenx: TokenCounter = {
  id: 'tokenx',
  version: '2',
  text(text) {
    // The estimate takes a text apart as a whole: of a long one, slice by slice needs a fraction of the memory.
    let tokens = 0
    for (const count of tokenxSlices(text)) tokens += count
    return tokens
  },
  slices: tokenxSlices,
  perMessage: 4,
  images: true,
}

function* tokenxSlices(text: string): Generator<number> {
  for (const slice of wordSlices(text, SLICE)) yield estimateTokenCount(slice)
}

/** The counters that need no table. `o200k` stands behind its own door. */
export const smallCounters: readonly TokenCounter[] = [declared, chars, charsPerFour, tokenx]

/** Tokens of one message: its texts, the JSON of its calls, its images, its wrapper. */
export function messageTokens(counter: TokenCounter, message: Message): number {
  if (typeof message.content === 'string') return counter.perMessage + counter.text(message.content)
  let tokens = counter.perMessage
  for (const part of message.content) tokens += partTokens(counter, part)
  return tokens
}

/** Tokens of one tool definition: the JSON that is sent, and its wrapper. */
export function toolTokens(counter: TokenCounter, tool: ToolDefinition): number {
  const { name, description, inputSchema } = tool
  return tool.tokens ?? counter.perMessage + counter.text(JSON.stringify({ name, description, inputSchema }))
}

/** Tokens of a tool message that the core rewrote: under `declared` only what the core made can be counted. */
export function rewrittenTokens(counter: TokenCounter, message: Message): number {
  const { made } = counter
  if (!made) return messageTokens(counter, message)
  return toolResults(message).reduce((sum, part) => sum + made(outputText(part.output)), 0)
}

type Part = Exclude<AnyMessage['content'], string>[number]

function partTokens(counter: TokenCounter, part: Part): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return counter.text(part.text)
    case 'tool-call':
      return counter.text(JSON.stringify(part.input) ?? '') + (counter.perMessage > 0 ? counter.text(part.toolName) : 0)
    case 'tool-result':
      return counter.text(outputText(part.output))
    case 'image':
      return pictureTokens(counter, part.providerOptions)
    case 'file':
      if (part.mediaType.startsWith('image')) return pictureTokens(counter, part.providerOptions)
      return counter.text(part.filename ?? '') + counter.text(inlineText(part.data))
    default:
      return 0
  }
}

/** The text of a file that is sent as text. What a provider reads out of bytes nobody knows beforehand. */
function inlineText(data: unknown): string {
  const file = data as { type?: unknown; text?: unknown } | null
  return file?.type === 'text' && typeof file.text === 'string' ? file.text : ''
}

/** An image part may carry its size as `providerOptions.foreword {width, height}`, in pixels. */
function pictureTokens(counter: TokenCounter, options: Record<string, unknown> | undefined): number {
  if (!counter.images) return 0
  const size = options?.['foreword'] as { width?: unknown; height?: unknown } | undefined
  if (typeof size?.width !== 'number' || typeof size.height !== 'number') return UNKNOWN_IMAGE_TOKENS
  return imageTokens(size.width, size.height)
}
