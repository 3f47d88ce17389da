import { stat } from 'node:fs/promises'
import type { AccessRead } from './access.ts'
import { readAccess } from './read-access.ts'

/** `tool-access.json` as it is at any time. */
export interface AccessFile {
  /** What the file says now; read again only where it has changed. Never rejects. */
  current(): Promise<AccessRead>
}

/** Reads a text file without waiting for pipes, and never throws: `readText` of `foreword/plugin` is one. */
export type AccessReader = (path: string) => Promise<AccessFileRead>

/** What reading the file came to. */
export type AccessFileRead =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'missing' }
  | { readonly type: 'unreadable'; readonly why: string }

/** The policy in a file, with the environment over it. A missing file is all defaults, an unreadable one a faulty policy. */
export function accessFile(
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
  read: AccessReader,
): AccessFile {
  let last: { readonly version: string; readonly read: AccessRead } | undefined
  return {
    async current() {
      // Before the reading: what changes in between is then read once more, and not missed.
      const version = await versionOf(path)
      if (version !== undefined && last?.version === version) return last.read
      const found = accessOf(await read(path), environment)
      last = version === undefined ? undefined : { version, read: found }
      return found
    },
  }
}

function accessOf(found: AccessFileRead, environment: Readonly<Record<string, string | undefined>>): AccessRead {
  if (found.type === 'unreadable') return { type: 'faulty', problems: [`it cannot be read: ${found.why}`] }
  return readAccess(found.type === 'text' ? found.text : undefined, environment)
}

/** Differs whenever the file does; `undefined` where nobody can say. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mode, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return [ino, size, mode, mtimeNs, ctimeNs].join(' ')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : undefined
  }
}
