import { smallCounters } from '../context.ts'
import type { Document, Unreadable } from './document.ts'

/** A text with its tokens. Whoever names a counter that is not here counts by itself. */
export async function counted(read: Document | Unreadable, counter: string): Promise<Document | Unreadable> {
  if (read.kind !== 'text') return read
  const found = counter === 'o200k' ? await largeCounter() : smallCounters.find(({ id }) => id === counter)
  return found ? { ...read, tokens: found.text(read.text) } : read
}

/** Its table takes tens of megabytes. */
async function largeCounter() {
  return (await import('../context/o200k.ts')).o200k
}
