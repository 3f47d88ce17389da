import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { posix, win32 } from 'node:path'
import type { FindBinary } from './required-programs.ts'

export interface FindBinaryOptions {
  /** The variable `PATH`. */
  readonly path: string | undefined
  /** Such as `linux` or `win32`. */
  readonly platform: string
  /** The variable `PATHEXT`, on Windows. */
  readonly extensions?: string | undefined
}

/** Looks for programs on a PATH, each name once. A name that is itself a path is on none. */
export function binaryFinder({ path = '', platform, extensions }: FindBinaryOptions): FindBinary {
  const { delimiter, join } = platform === 'win32' ? win32 : posix
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  const endings = platform === 'win32' ? (extensions ?? '.COM;.EXE;.BAT;.CMD').split(';') : ['']
  const known = new Map<string, Promise<boolean>>()

  async function look(name: string): Promise<boolean> {
    if (name === '' || /[/\\\0]/.test(name)) return false
    for (const folder of folders) {
      for (const ending of endings) if (await isProgram(join(folder, `${name}${ending}`))) return true
    }
    return false
  }

  return (name) => {
    const asked = known.get(name) ?? look(name)
    known.set(name, asked)
    return asked
  }
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
