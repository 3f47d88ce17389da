import { estimateTokenCount } from 'tokenx'
import { type Media, mediaCost } from './media-cost.ts'
import {
  type AnyMessage,
  isTextThinking,
  type Message,
  outputMedia,
  outputText,
  type ToolOutput,
  toolResults,
} from './message.ts'
import { randomRunTokens } from './random-runs.ts'
import { wordSlices } from './text-slices.ts'
import type { ToolDefinition } from './tool-definition.ts'

/** Counts tokens. Every manifest names the id and the version of its counter. */
export interface TokenCounter {
  readonly id: string
  readonly version: string
  /** Tokens of one text. */
  text(text: string): number
  /**
   * The same sum in parts, each some milliseconds of work: for callers that count long texts and must not block.
   * Absent where counting costs nothing.
   */
  slices?(text: string): Iterable<number>
  /** Tokens of a text that the core itself made, such as a cleared tool result. `text` where absent. */
  made?(text: string): number
  /** Tokens that the wrapper of each message and each tool costs. */
  readonly perMessage: number
  /** Whether images and pages cost by their size (BEHAVIOURS §3.4). */
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
  version: '2',
  text: (text) => text.length,
  perMessage: 0,
  images: true,
}

/** One token for four characters, rounded up per text, of texts and of the JSON of calls. */
export const charsPerFour: TokenCounter = {
  id: 'chars/4',
  version: '2',
  text: (text) => Math.ceil(text.length / 4),
  perMessage: 0,
  images: true,
}

/** Characters of a slice: small enough that its garbage is collected early. */
const SLICE = 8_192

/** A fast estimate that fits no model exactly and every model roughly. Counts everything that is sent. */
export const tokenx = slicedCounter('tokenx', '4', function* (text) {
  for (const slice of wordSlices(text, SLICE)) yield estimateTokenCount(slice) + randomRunTokens(slice)
})

/** A counter that counts everything that is sent. `slices` splits a text: as a whole, a long one needs far more memory or time. */
export function slicedCounter(id: string, version: string, slices: (text: string) => Iterable<number>): TokenCounter {
  return {
    id,
    version,
    text(text) {
      let tokens = 0
      for (const count of slices(text)) tokens += count
      return tokens
    },
    slices,
    perMessage: 4,
    images: true,
  }
}

/** The counters that need no table. `o200k` has an entry point of its own, `foreword/context/o200k`. */
export const smallCounters: readonly TokenCounter[] = [declared, chars, charsPerFour, tokenx]

/** Tokens of one message: its texts, the JSON of its calls, its images and pages, what its provider is sent besides, its wrapper. */
export function messageTokens(counter: TokenCounter, message: AnyMessage): number {
  const beside = counter.perMessage + optionTokens(counter, message.providerOptions)
  if (typeof message.content === 'string') return beside + counter.text(message.content)
  let tokens = beside
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

/** Tokens of words that the core put beside a text of somebody else. */
export function madeTokens(counter: TokenCounter, text: string): number {
  return counter.made?.(text) ?? counter.text(text)
}

type Part = Exclude<AnyMessage['content'], string>[number]

function partTokens(counter: TokenCounter, part: Part): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      if (isTextThinking(part)) return 0
      return counter.text(part.text) + optionTokens(counter, part.providerOptions)
    case 'tool-call': {
      const name = countsAll(counter) ? counter.text(part.toolName) : 0
      return counter.text(JSON.stringify(part.input) ?? '') + name + optionTokens(counter, part.providerOptions)
    }
    case 'tool-result':
      return outputTokens(counter, part.output) + optionTokens(counter, part.providerOptions)
    case 'image':
      return mediaTokens(counter, { ...part, mediaType: part.mediaType ?? 'image', data: part.image })
    case 'file':
    case 'reasoning-file':
      return mediaTokens(counter, part)
    case 'custom':
      return optionTokens(counter, part.providerOptions)
    default:
      return 0
  }
}

function outputTokens(counter: TokenCounter, output: ToolOutput): number {
  if (output.type !== 'content') return counter.text(outputText(output)) + optionTokens(counter, output.providerOptions)
  let tokens = 0
  for (const part of output.value) {
    if (part.type === 'text') tokens += counter.text(part.text)
    if (part.type === 'text' || part.type === 'custom') tokens += optionTokens(counter, part.providerOptions)
    else tokens += mediaTokens(counter, outputMedia(part))
  }
  return tokens
}

function mediaTokens(counter: TokenCounter, media: Media): number {
  const { tokens, texts } = mediaCost(media)
  const bySize = counter.images ? tokens : 0
  return texts.reduce((sum, text) => sum + counter.text(text), bySize) + optionTokens(counter, media.providerOptions)
}

/** Only where everything that is sent is counted: it is neither a text nor a call. */
function optionTokens(counter: TokenCounter, options: Readonly<Record<string, unknown>> | undefined): number {
  if (options === undefined || !countsAll(counter)) return 0
  return optionTexts(options).reduce((sum, text) => sum + counter.text(text), 0)
}

function countsAll({ perMessage }: TokenCounter): boolean {
  return perMessage > 0
}

/**
 * What providers are sent beside a part: the signature of a reasoning, content that only they can read. What is meant for
 * Foreword itself (`foreword`) is not sent.
 */
function optionTexts(options: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  if (options === undefined) return []
  return Object.entries(options).flatMap(([provider, value]) => (provider === 'foreword' ? [] : textsIn(value)))
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
