import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { posix, win32 } from 'node:path'

export type FindBinary = (name: string) => Promise<boolean>

interface FindBinaryOptions {
  /** The variable `PATH`. */
  readonly path: string | undefined
  readonly platform: string
  /** The variable `PATHEXT`, on Windows. */
  readonly extensions?: string | undefined
}

export function programFinder({ PATH, PATHEXT }: Readonly<Record<string, string | undefined>>): FindBinary {
  return binaryFinder({ path: PATH, platform: process.platform, extensions: PATHEXT })
}

/** Looks again at each call. A name that is itself a path is never found. */
export function binaryFinder({ path = '', platform, extensions }: FindBinaryOptions): FindBinary {
  const { delimiter, join } = platform === 'win32' ? win32 : posix
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  const endings = platform === 'win32' ? (extensions ?? '.COM;.EXE;.BAT;.CMD').split(';') : ['']

  return async (name) => {
    if (name === '' || /[/\\\0]/.test(name)) return false
    for (const folder of folders) {
      for (const ending of endings) if (await isProgram(join(folder, `${name}${ending}`))) return true
    }
    return false
  }
}

/** Looks for each name once. */
export function cachedFinder(findBinary: FindBinary): FindBinary {
  const known = new Map<string, Promise<boolean>>()
  return (name) => {
    const asked = known.get(name) ?? findBinary(name)
    known.set(name, asked)
    return asked
  }
}

/** Whether a path is an executable file. */
export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
