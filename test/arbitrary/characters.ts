import * as fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * Any character there is, as the `unit` of a string. The same as `binary` of fast-check, which begins with a map of a
 * million characters: a second in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - SURROGATES.count })
  .map((index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count), indexOf)

function indexOf(character: unknown): number {
  const point = typeof character === 'string' ? character.codePointAt(0) : undefined
  if (point === undefined || String.fromCodePoint(point) !== character || isSurrogate(point)) {
    throw new Error(`not a character: ${String(character)}`)
  }
  return point < SURROGATES.first ? point : point - SURROGATES.count
}

function isSurrogate(point: number): boolean {
  return point >= SURROGATES.first && point < SURROGATES.first + SURROGATES.count
}
