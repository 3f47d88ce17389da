import { readBytes } from '../../src/document/read-bytes.ts'
import { type ReadingLimits, usualLimits } from '../../src/document/reading-limits.ts'
import type { Document, Unreadable } from '../../src/document.ts'

/** Reads here and now, without a process of its own. */
export function read(
  content: string | Uint8Array,
  name: string,
  options: { readonly limits?: Partial<ReadingLimits>; readonly url?: string; readonly charset?: string } = {},
): Promise<Document | Unreadable> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return readBytes(bytes, { name, ...options, limits: { ...usualLimits, ...options.limits } })
}

/** What it says; a failure in one line. */
export async function textOf(...args: Parameters<typeof read>): Promise<string> {
  const document = await read(...args)
  if (document.kind === 'unreadable') return `${document.code}: ${document.reason}`
  return 'text' in document ? document.text : `an ${document.kind}`
}

export async function codeOf(...args: Parameters<typeof read>): Promise<string> {
  const document = await read(...args)
  return document.kind === 'unreadable' ? document.code : document.kind
}
