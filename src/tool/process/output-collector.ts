import { imageType } from '../../context.ts'
import { SIGNATURE_BYTES, signatureType } from '../../platform.ts'
import type { ProgramOutput } from './program.ts'

/** Takes an output in as it comes and keeps no more of it than was asked for. */
export interface OutputCollector {
  add(bytes: Uint8Array): void
  /** What there is so far. */
  end(): ProgramOutput
}

/** Text in which more than this share of the characters is not UTF-8 is none: a page of Latin-1 still is. */
const LARGEST_UNREADABLE_SHARE = 0.1

/** Keeps the first `limit` characters of an output, counted as JavaScript does (UTF-16), and counts the rest. */
export function collectOutput(limit: number): OutputCollector {
  const decoder = new TextDecoder('utf-8')
  let beginning: Uint8Array = new Uint8Array()
  let text = ''
  let bytes = 0
  let characters = 0
  let unreadable = 0
  let hasZeros = false

  function take(decoded: string): void {
    characters += decoded.length
    unreadable += replacements(decoded)
    if (text.length < limit) text += decoded.slice(0, limit - text.length)
  }

  return {
    add(chunk) {
      const missing = SIGNATURE_BYTES - beginning.length
      if (missing > 0) beginning = Buffer.concat([beginning, chunk.subarray(0, missing)])
      bytes += chunk.length
      hasZeros ||= chunk.includes(0)
      take(decoder.decode(chunk, { stream: true }))
    },
    end() {
      take(decoder.decode())
      const facts = { bytes, characters }
      if (hasZeros || unreadable > characters * LARGEST_UNREADABLE_SHARE) {
        return {
          ...facts,
          text: binaryLine(bytes, imageType(beginning) ?? signatureType(beginning)),
          truncated: false,
          binary: true,
        }
      }
      const whole = characters > limit ? withoutHalfPair(text) : text
      return { ...facts, text: whole, truncated: characters > whole.length, binary: false }
    },
  }
}

/** `[binary output: 12,345 bytes, image/png]` */
function binaryLine(bytes: number, kind: string | undefined): string {
  const size = `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`
  return `[binary output: ${size}${kind === undefined ? '' : `, ${kind}`}]`
}

/** Characters that stand where the bytes were no UTF-8. */
function replacements(text: string): number {
  let count = 0
  for (let at = text.indexOf('\uFFFD'); at !== -1; at = text.indexOf('\uFFFD', at + 1)) count++
  return count
}

/** A pair of UTF-16 units is one character: half of it is none. */
function withoutHalfPair(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text
}
