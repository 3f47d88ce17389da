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

/**
 * How many tokens more than by an estimate from word to word (`tokenx`) the random runs of a text cost: base64, hexadecimal, ids and
 * keys. A run is a word of at least 8 letters and digits that alternate more often than in a name: a tokenizer has no words for it
 * and cuts it into pieces of one or two characters. Of two texts that are cut where the estimate starts again, the sum is that of the whole.
 */
function randomRunTokens(text: string): number {
  let more = 0
  let start = 0
  for (let at = 0; at <= text.length; at += 1) {
    if (at < text.length && signOf(text.charCodeAt(at)) !== OTHER) continue
    if (at - start >= SHORTEST && isWord(text, start, at)) more += runTokens(text, start, at)
    start = at + 1
  }
  return more
}

/** In a word with other letters the estimate goes by their language. */
function isWord(text: string, start: number, end: number): boolean {
  return !(start > 0 && text.charCodeAt(start - 1) >= NOT_ASCII) && !(text.charCodeAt(end) >= NOT_ASCII)
}

/** What a word of letters and digits costs more than one of its length. */
function runTokens(text: string, start: number, end: number): number {
  const length = end - start
  let [changes, digits, isHex] = [0, 0, true]
  let before: Sign = OTHER
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at)
    const sign = signOf(code)
    // `Name` begins one word and not two.
    if (at > start && sign !== before && !(before === UPPER && sign === LOWER)) changes += 1
    if (sign === DIGIT) digits += 1
    else if ((code | LOWER_CASE) > LAST_HEX) isHex = false
    before = sign
  }
  if (digits === 0 || changes < Math.max(FEWEST, (length - 1) * LEAST_CHANGES)) return 0
  return Math.ceil(length / (isHex ? HEX_CHARACTERS : CHARACTERS)) - Math.ceil(length / WORD_CHARACTERS)
}

/** Characters. What is shorter is a word, a number or a token or two. */
const SHORTEST = 8
/** Share of the places between two characters of a run at which letters follow digits, or a capital a small letter. */
const LEAST_CHANGES = 0.25
/** `utf8Text` has two. */
const FEWEST = 3
/** A token has so many of them, by `o200k` over 30,000 random bytes. */
const CHARACTERS = 1.47
const HEX_CHARACTERS = 1.75
/** What the estimate has for a token of such a word. */
const WORD_CHARACTERS = 7

const [OTHER, DIGIT, UPPER, LOWER] = [0, 1, 2, 3] as const
type Sign = 0 | 1 | 2 | 3

const NOT_ASCII = 128
const LOWER_CASE = 32
/** `f`. */
const LAST_HEX = 102

function signOf(code: number): Sign {
  if (code >= 97) return code <= 122 ? LOWER : OTHER
  if (code >= 65) return code <= 90 ? UPPER : OTHER
  return code >= 48 && code <= 57 ? DIGIT : OTHER
}

/**
 * Cuts a text where an estimate that goes from word to word (`tokenx`) would start again: between a word and what is no word,
 * with no sign of East Asian writing behind the cut, since that belongs to the word before it. Each slice has at least
 * `size` characters (UTF-16 units), the last one excepted; more where no such place comes earlier. Joined they are the text.
 */
export function* wordSlices(text: string, size: number): Generator<string> {
  let start = 0
  while (text.length - start > size) {
    boundary.lastIndex = start + size - 1
    const found = boundary.exec(text)
    const end = found ? found.index + 1 : undefined
    if (end === undefined) break
    yield text.slice(start, end)
    start = end
  }
  if (start < text.length) yield text.slice(start)
}

/** The signs between which `tokenx` finds words. */
const plainSigns = String.raw`.,!?;(){}\[\]<>:/\\|@#$%^&*+=${'`'}~_"\-`
const eastAsianSigns = String.raw`\u3001-\u3003\u3008-\u3011\u3014-\u301F\u3030\u30FB\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65`
const noWord = String.raw`\s${plainSigns}${eastAsianSigns}`
const boundary = new RegExp(String.raw`[^${noWord}](?=[\s${plainSigns}])|[${noWord}](?=[^${noWord}])`, 'g')
