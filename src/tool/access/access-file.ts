import type { AccessRead } from './access.ts'
import { readAccess } from './read-access.ts'

/** `tool-access.json` as it is at any time. */
export interface AccessFile {
  /** What the file says now. The same value for as long as its text stays the same. Never rejects. */
  current(): Promise<AccessRead>
}

/** Reads a text file without waiting for pipes, and never throws: `readText` of `foreword/capability` is one. */
export type AccessReader = (path: string) => Promise<AccessFileRead>

/** What reading the file came to. */
export type AccessFileRead =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'missing' }
  | { readonly type: 'unreadable'; readonly why: string }

/**
 * The policy in the first of some files that is there, with the environment over it. Where none is there it is all
 * defaults; an unreadable one is a faulty policy, and none behind it is looked at. The text is read for each question:
 * size and times of a file can be the same after a change, and its text cannot.
 */
export function accessFile(
  paths: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  read: AccessReader,
): AccessFile {
  let last: { readonly found: AccessFileRead; readonly read: AccessRead } | undefined
  return {
    async current() {
      const found = await firstOf(paths, read)
      if (!last || !isSame(last.found, found)) last = { found, read: accessOf(found, environment) }
      return last.read
    },
  }
}

async function firstOf(paths: readonly string[], read: AccessReader): Promise<AccessFileRead> {
  for (const path of paths) {
    const found = await read(path)
    if (found.type !== 'missing') return found
  }
  return { type: 'missing' }
}

function isSame(one: AccessFileRead, other: AccessFileRead): boolean {
  if (one.type === 'text') return other.type === 'text' && one.text === other.text
  return one.type === 'missing' ? other.type === 'missing' : other.type === 'unreadable' && one.why === other.why
}

function accessOf(found: AccessFileRead, environment: Readonly<Record<string, string | undefined>>): AccessRead {
  if (found.type === 'unreadable') return { type: 'faulty', problems: [`it cannot be read: ${found.why}`] }
  return readAccess(found.type === 'text' ? found.text : undefined, environment)
}
