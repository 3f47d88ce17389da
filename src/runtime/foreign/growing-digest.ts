import { createHash, type Hash } from 'node:crypto'
import { type Clock, inSlices } from '../../platform.ts'

/** A SHA-256 on its way, after so many bytes or elements of what is hashed. */
export interface DigestPlace {
  readonly at: number
  readonly hash: Hash
}

/** A digest that goes on after the last of these places that is not beyond `same`, and the places up to there. */
export function digestFrom(places: readonly DigestPlace[], same: number) {
  const kept = places.filter(({ at }) => at <= same)
  const last = kept.at(-1)
  return { at: last?.at ?? 0, hash: last?.hash.copy() ?? createHash('sha256'), places: kept }
}

/** Bytes between two places. */
const APART = 64 * 1024

/** Hashes bytes of which the first `same` were hashed before. Other work runs meanwhile. */
export async function growingDigest(
  clock: Clock,
  bytes: Uint8Array,
  known: readonly DigestPlace[],
  same: number,
): Promise<{ readonly sha256: string; readonly digests: readonly DigestPlace[] }> {
  const { at: from, hash, places } = digestFrom(known, same)
  const starts = Array.from(
    { length: Math.ceil((bytes.byteLength - from) / APART) },
    (_, index) => from + index * APART,
  )
  await inSlices(clock, starts, (at) => {
    hash.update(bytes.subarray(at, at + APART))
    if (at + APART <= bytes.byteLength) places.push({ at: at + APART, hash: hash.copy() })
  })
  return { sha256: hash.digest('hex'), digests: places }
}
