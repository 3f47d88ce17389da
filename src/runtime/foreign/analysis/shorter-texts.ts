import type { TokenCounter } from '../../../context.ts'
import { longTexts } from '../../../foreign.ts'
import { sha256 } from '../../../platform.ts'

/** A text of more bytes is read by its beginning: no more of it is needed to tell the size of an image or the pages of a file. */
const LONG = 4 * 1024 * 1024
const BEGINNING = 3 * 1024 * 1024

/** What stands for the rest of a text: how many bytes it has, and the SHA-256 of the whole. Itself base64. */
const REST = /foreword(\d{12})[0-9a-f]{64}/g

/**
 * A JSON body with the beginning of each very long text in the place of the whole, and a mark that is another one for another
 * text, so that reading the body takes no memory for them. The same bytes where there is none.
 */
export function withShorterTexts(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  let done = 0
  for (const { start, end } of longTexts(bytes, LONG)) {
    const cut = placeToCut(bytes, start, start + BEGINNING)
    const rest = String(end - cut).padStart(12, '0')
    parts.push(bytes.subarray(done, cut), Buffer.from(`foreword${rest}${sha256(bytes.subarray(start, end))}`))
    done = end
  }
  return done === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(done)])
}

/** Counts what a mark stands for as what is around it. A mark that somebody else wrote makes a text no smaller. */
export function countingRests(counter: TokenCounter): TokenCounter {
  const factor = (text: string): number => {
    if (text.length < BEGINNING / 4) return 1
    let rest = 0
    for (const [, bytes] of text.matchAll(REST)) rest += Number(bytes)
    return 1 + rest / text.length
  }
  const { slices } = counter
  return {
    ...counter,
    text: (text) => Math.round(counter.text(text) * factor(text)),
    ...(slices && {
      *slices(text: string) {
        const times = factor(text)
        for (const count of slices(text)) yield Math.round(count * times)
      },
    }),
  }
}

/** The last place up to `end` where a text can end: neither in a character nor in what is escaped. */
function placeToCut(bytes: Uint8Array, start: number, end: number): number {
  let at = end
  while (at > start && ((bytes[at]! & 0xc0) === 0x80 || bytes.subarray(at - LONGEST_ESCAPES, at).includes(BACKSLASH)))
    at -= 1
  return at
}

/** Bytes of one character as two escapes, `\ud83d\ude00`. */
const LONGEST_ESCAPES = 12
const BACKSLASH = 0x5c
