/** Contents that were lately found to be on the disk, so that storing them again costs nothing. */
export interface KnownHashes {
  has(hash: string): boolean
  add(hash: string): void
  clear(): void
}

export function createKnownHashes(most: number): KnownHashes {
  const hashes = new Set<string>()
  return {
    has(hash) {
      if (!hashes.delete(hash)) return false
      hashes.add(hash)
      return true
    },
    add(hash) {
      hashes.add(hash)
      if (hashes.size > most) hashes.delete(hashes.values().next().value!)
    },
    clear: () => hashes.clear(),
  }
}
