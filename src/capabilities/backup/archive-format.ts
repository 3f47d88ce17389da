import { createHash, type Hash } from 'node:crypto'
import { z } from 'zod'

/** A `tar.gz`: `backup.json`, the home below `home/`, then `digests.json` with SHA-256s: without that it was cut off. */
export const HEADER_ENTRY = 'backup.json'
export const HOME_FOLDER = 'home/'
export const DIGESTS_ENTRY = 'digests.json'
/** Last, since format 2, where the home has a key. */
export const SIGNATURE_ENTRY = 'signature.json'

/** The newest form of archives. Those of form 1 have no signature. */
export const FORMAT = 2

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

/** By the key of the audit of the home that was saved, over what `contentsHash` has and the header. */
export interface ArchiveSignature {
  readonly key: string
  /** SPKI, PEM. */
  readonly publicKey: string
  readonly signature: string
}

export const archiveSignature: z.ZodType<ArchiveSignature> = z.object({
  key: z.string(),
  publicKey: z.string(),
  signature: z.string(),
})

interface HashedEntry {
  readonly type: 'file' | 'directory' | 'symlink'
  readonly path: string
  readonly mode: number
  readonly target?: string | undefined
  readonly sha256?: string
}

/** Hashes everything that an archive puts into a home, in its order: names, kinds, modes, targets of links, and bytes. */
export function contentsHash() {
  const hash = createHash('sha256')
  return {
    add: ({ type, path, mode, target = '', sha256 = '' }: HashedEntry) =>
      void hash.update(`${JSON.stringify([type, path, mode, target, sha256])}\n`),
    statement: (header: ArchiveHeader) => ({ purpose: 'archive', ...header, contents: hash.digest('hex') }),
  }
}

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
