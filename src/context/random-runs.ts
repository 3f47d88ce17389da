/**
 * How many tokens more than by an estimate from word to word (`tokenx`) the random runs of a text cost: base64, hexadecimal, ids and
 * keys. A run is a word of at least 8 letters and digits that alternate more often than in a name: a tokenizer has no words for it
 * and cuts it into pieces of one or two characters. Of two texts that are cut where the estimate starts again, the sum is that of the whole.
 */
export function randomRunTokens(text: string): number {
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
