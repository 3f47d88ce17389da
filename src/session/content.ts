import { createHash } from 'node:crypto'

/** Texts by their hash: prompts, results and what was read of files. */
export interface ContentStore {
  /**
   * Stores a text under its SHA-256 (lowercase hexadecimal) and answers that hash. The same text is stored once. `holds`:
   * sessions whose words the text holds. It is removed with the first of them that is deleted or withdrawn, and is not
   * stored at all where that has happened already.
   */
  putContent(text: string, holds?: readonly string[]): Promise<string>
  content(hash: string): Promise<string | undefined>
  /** Whether a content is missing because it held words of a session that was deleted or withdrawn. */
  contentWasRemoved(hash: string): Promise<boolean>
}

/**
 * The address of a text: SHA-256 of its UTF-8, lowercase hexadecimal. A text with a lone surrogate cannot be said in
 * UTF-8 without loss; its UTF-16 is taken, so that no two texts share an address.
 */
export function contentHash(text: string): string {
  const hash = createHash('sha256')
  return (text.isWellFormed() ? hash.update(text, 'utf8') : hash.update(text, 'utf16le')).digest('hex')
}

/** Hashes that a JSON text refers to, as `sha256:HASH` anywhere inside it. */
export function contentReferences(json: string): readonly string[] {
  return Array.from(json.matchAll(/sha256:([0-9a-f]{64})(?![0-9a-f])/g), ([, hash]) => hash!)
}

/** The text that `sha256:HASH` refers to; `undefined` where nobody has it. */
export async function referredContent(
  store: { content(hash: string): Promise<string | undefined> },
  reference: string,
): Promise<string | undefined> {
  return store.content(reference.replace('sha256:', ''))
}
