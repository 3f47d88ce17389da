import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of a program, as a shell would find it. */
export function findExecutable(
  command: string,
  { PATH = '', PATHEXT = '' }: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const endings = process.platform === 'win32' ? PATHEXT.split(';') : ['']
  const folders = PATH.split(delimiter).filter((folder) => folder !== '')
  return folders.flatMap((folder) => endings.map((ending) => join(folder, `${command}${ending}`))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
