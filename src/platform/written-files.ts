import { sep } from 'node:path'

const watchers = new Map<symbol, { readonly below: string; readonly tell: (path: string) => Promise<void> }>()

/** Calls `tell` with the path of each file below a folder once this process has written it: who wrote waits for it. Returns what stops it. */
export function watchWrittenFiles(folder: string, tell: (path: string) => Promise<void>): () => void {
  const key = Symbol(folder)
  watchers.set(key, { below: folder + sep, tell })
  return () => void watchers.delete(key)
}

/** A file was written, and is on the disk. Rejects where somebody who has to know of it fails. */
export async function noteWrittenFile(path: string): Promise<void> {
  for (const { below, tell } of watchers.values()) if (path.startsWith(below)) await tell(path)
}
