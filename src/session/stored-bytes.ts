/** Bytes of files that several machines reach, under their SHA-256. */
export interface StoredBytes {
  /** Resolves when all of them are on the disk of the database. */
  put(hash: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Nothing at all where there are none; an empty piece for an empty file. */
  read(hash: string): AsyncIterable<Uint8Array>
  remove(hash: string): Promise<void>
  hashes(): Promise<ReadonlySet<string>>
}
