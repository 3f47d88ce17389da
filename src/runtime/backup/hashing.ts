import type { Hash } from 'node:crypto'

/** A step of a pipeline that lets bytes through and puts them into `hash`. */
export function hashing(hash: Hash): (pieces: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array> {
  return async function* hashed(pieces) {
    for await (const piece of pieces) {
      hash.update(piece)
      yield piece
    }
  }
}
