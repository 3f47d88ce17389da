import { createHash } from 'node:crypto'
import { jsonParts, LONG_TEXT, textChunks } from '../platform.ts'

/** Texts by their hash: prompts, results and the text of files. */
export interface ContentStore {
  /**
   * Stores a text under its SHA-256 (lowercase hexadecimal) and returns that hash. The same text is stored once. `holds`:
   * sessions whose words the text contains. It is removed with the first of them that is deleted or withdrawn, and is not
   * stored where that has already happened. `shared`: it is removed with the last of them instead, since each of them has said it.
   */
  putContent(text: string, holds?: readonly string[], options?: { readonly shared?: boolean }): Promise<string>
  content(hash: string): Promise<string | undefined>
  /**
   * Removes the shared contents that only resting sessions hold: those without an entry since `before` (ISO 8601) of which
   * `isUsed` says no. The sessions and their calls stay. Other writes come in between. Returns how many were removed.
   */
  removeRestingContents(options: {
    readonly before: string
    readonly isUsed: (session: string) => boolean
  }): Promise<number>
  /** How often this store has removed contents: what was read of them before is not to be used any more once it has grown. */
  contentRemovals(): number
  /** Whether a content is missing because it contained words of a session that was deleted, withdrawn or rested for too long. */
  contentWasRemoved(hash: string): Promise<boolean>
}

/**
 * The address of a text: the SHA-256 of its UTF-8, lowercase hexadecimal. UTF-8 cannot encode a lone surrogate; for a text
 * with one the UTF-16 is hashed, so that no two texts share an address.
 */
export function contentHash(text: string): string {
  const hash = createHash('sha256')
  const encoding = text.isWellFormed() ? 'utf8' : 'utf16le'
  // Each part is encoded in memory of its own, and a long one costs more than all short ones.
  for (const part of textChunks(text, LONG_TEXT)) hash.update(part, encoding)
  return hash.digest('hex')
}

/** What a row of the store is checked with: some SHA-256 of its columns, in order, and of the digest before it. 22 characters. */
export function rowDigest(...columns: readonly (string | number | null)[]): string {
  const hash = createHash('sha256')
  for (const part of jsonParts(columns)) hash.update(part)
  return hash.digest('base64url').slice(0, 22)
}

/** The hashes that a JSON text refers to, as `sha256:HASH` anywhere in it. */
export function contentReferences(json: string): readonly string[] {
  return Array.from(json.matchAll(/sha256:([0-9a-f]{64})(?![0-9a-f])/g), ([, hash]) => hash!)
}

/** Reads the text that `sha256:HASH` refers to; `undefined` where the store does not have it. */
export async function readReferredContent(
  store: { content(hash: string): Promise<string | undefined> },
  reference: string,
): Promise<string | undefined> {
  return store.content(reference.replace('sha256:', ''))
}

/** Bytes of files that several machines reach, under their SHA-256. */
export interface StoredBytes {
  /** Resolves when all of them are on the disk of the database. */
  put(hash: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Nothing at all where there are none; an empty piece for an empty file. */
  read(hash: string): AsyncIterable<Uint8Array>
  remove(hash: string): Promise<void>
  hashes(): Promise<ReadonlySet<string>>
}
