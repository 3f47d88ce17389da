/**
 * SHA-256 of the UTF-8 of a text, lowercase hexadecimal. For texts whose digest nobody knows yet: one that is kept beside the
 * log has it in its reference.
 */
export function sha256Text(text: string): string {
  const bytes = padded(new TextEncoder().encode(text))
  const view = new DataView(bytes.buffer)
  const state = Uint32Array.from(INITIAL)
  const expanded = new Int32Array(64)
  for (let at = 0; at < bytes.length; at += BLOCK) addBlock(state, expanded, view, at)
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

/** Bytes of a block. */
const BLOCK = 64

/** The bytes, a bit, blanks up to a whole block, and the number of bits. */
function padded(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK)
  whole.set(bytes)
  whole[bytes.length] = 0x80
  new DataView(whole.buffer).setBigUint64(whole.length - 8, BigInt(bytes.length) * 8n)
  return whole
}

/** FIPS 180-4, 6.2.2. */
function addBlock(state: Uint32Array, expanded: Int32Array, view: DataView, at: number): void {
  for (let index = 0; index < 16; index += 1) expanded[index] = view.getInt32(at + index * 4)
  for (let index = 16; index < 64; index += 1) {
    const early = expanded[index - 15]!
    const late = expanded[index - 2]!
    const mixedEarly = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)
    const mixedLate = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10)
    expanded[index] = (expanded[index - 16]! + mixedEarly + expanded[index - 7]! + mixedLate) | 0
  }
  let [a, b, c, d, e, f, g, h] = Int32Array.from(state) as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  for (let index = 0; index < 64; index += 1) {
    const choice = (e & f) ^ (~e & g)
    const first = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + choice + ROUNDS[index]! + expanded[index]!) | 0
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index]! += word
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}

const PRIMES = firstPrimes(64)
/** The first 32 bits of the fractions of the square roots of the first 8 primes. */
const INITIAL = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
/** The same of the cube roots of the first 64 primes. */
const ROUNDS = Int32Array.from(PRIMES.map((prime) => fraction(Math.cbrt(prime))))

function fraction(root: number): number {
  return Math.floor((root % 1) * 2 ** 32) | 0
}

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = []
  for (let number = 2; primes.length < count; number += 1) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number)
  }
  return primes
}
