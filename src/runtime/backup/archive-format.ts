import type { Hash } from 'node:crypto'
import { z } from 'zod'

/** A `tar.gz`: `backup.json`, the home below `home/`, last `digests.json` with SHA-256s: without that it was cut off. */
export const HEADER_ENTRY = 'backup.json'
export const HOME_FOLDER = 'home/'
export const DIGESTS_ENTRY = 'digests.json'

/** The one form of archives so far. */
export const FORMAT = 1

/** The first entry of an archive: what it is. */
export interface ArchiveHeader {
  readonly format: number
  readonly version: string
  readonly created: string
}

export const archiveHeader: z.ZodType<ArchiveHeader> = z.object({
  format: z.int().positive(),
  version: z.string(),
  created: z.string(),
})

export interface FileDigest {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

export const fileDigests: z.ZodType<readonly FileDigest[]> = z.array(
  z.object({ path: z.string(), bytes: z.int().nonnegative(), sha256: z.string() }),
)

export function hashBytes(hash: Hash): (pieces: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array> {
  return async function* hashed(pieces) {
    for await (const piece of pieces) {
      hash.update(piece)
      yield piece
    }
  }
}
