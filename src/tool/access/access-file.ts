import { isDeepStrictEqual } from 'node:util'
import type { AccessRead } from './access.ts'
import type { TextRead, TextReader } from '../text-reader.ts'
import { readAccess } from './read-access.ts'

/**
 * The policy in the first of some files that is there, with the environment over it. Where none is there it is all
 * defaults; an unreadable one is a faulty policy, and none behind it is looked at. The text is read for each question:
 * size and times of a file can be the same after a change, and its text cannot.
 */
export function accessFile(
  paths: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  read: TextReader,
) {
  let last: { readonly found: TextRead; readonly read: AccessRead } | undefined
  return {
    /** The policy of the file as it is now: the same value as long as the text is the same. Never rejects. */
    async current(): Promise<AccessRead> {
      const found = await readFirst(paths, read)
      if (!isDeepStrictEqual(last?.found, found)) last = { found, read: toAccess(found, environment) }
      return last!.read
    },
  }
}

async function readFirst(paths: readonly string[], read: TextReader): Promise<TextRead> {
  for (const path of paths) {
    const found = await read(path)
    if (found.type !== 'missing') return found
  }
  return { type: 'missing' }
}

function toAccess(found: TextRead, environment: Readonly<Record<string, string | undefined>>): AccessRead {
  if (found.type === 'unreadable') return { type: 'faulty', problems: [`it cannot be read: ${found.why}`] }
  return readAccess(found.type === 'text' ? found.text : undefined, environment)
}
