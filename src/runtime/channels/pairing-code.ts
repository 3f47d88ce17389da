import { createHash } from 'node:crypto'

/** 32 signs, none of which is easily taken for another: no I, O, 0 or 1. */
const SIGNS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 8

/** 40 bits of chance, as `XXXX-XXXX`. */
export function drawCode(random: (size: number) => Uint8Array): string {
  const signs = Array.from(random(LENGTH), (byte) => SIGNS[byte % SIGNS.length]!).join('')
  return `${signs.slice(0, LENGTH / 2)}-${signs.slice(LENGTH / 2)}`
}

/** SHA-256 of a code as people may write it: case, dashes and blanks make no difference. */
export function codeDigest(channel: string, code: string): string {
  const signs = code
    .slice(0, 100)
    .replaceAll(/[\p{Pd}\s]/gu, '')
    .toUpperCase()
  return createHash('sha256')
    .update(JSON.stringify([channel, signs]))
    .digest('hex')
}
