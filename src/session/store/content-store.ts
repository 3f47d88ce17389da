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
