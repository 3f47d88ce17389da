import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Program } from './program.ts'

/** Why a program cannot even be tried, or `undefined`. Never repeats a value of the environment: it may be a secret. */
export function unusable({ argv, folder, environment }: Program): string | undefined {
  if (argv.length === 0 || argv[0] === '') return 'there is no program to start: its name is empty'
  if (argv.some(hasNull)) return 'a program or an argument holds a NUL byte, which no program can be given'
  if (hasNull(folder)) return 'the folder to run in holds a NUL byte, which no path can'
  if (!isAbsolute(folder)) return `the folder to run in has to be an absolute path, not ${folder}`
  const broken = Object.entries(environment).find(([name, value]) => hasNull(name) || hasNull(value))
  if (broken !== undefined) return `the variable ${broken[0].replaceAll('\0', '?')} holds a NUL byte`
  return undefined
}

/** What the system's refusal to start a program means. */
export function reasonNotStarted({ argv, folder }: Program, error: unknown): string {
  const name = argv[0]!
  // A missing folder and a missing program look the same to whoever asked for both.
  const folderFault = faultOfFolder(folder)
  if (folderFault !== undefined) return folderFault
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOENT':
      return name.includes('/')
        ? `${name}: there is no such program, or what it needs to run is missing`
        : `${name}: there is no such program on the PATH`
    case 'EACCES':
    case 'EPERM':
      return `${name}: it may not be run (it is not executable, or permissions forbid it)`
    case 'E2BIG':
      return `${name}: its arguments and environment are longer than the system takes`
    case 'EAGAIN':
    case 'ENOMEM':
      return `${name}: the system has no room for another process now`
    default:
      return `${name}: it could not be started (${code ?? message})`
  }
}

function faultOfFolder(folder: string): string | undefined {
  try {
    return statSync(folder).isDirectory() ? undefined : `the folder to run in is no folder: ${folder}`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return `the folder to run in does not exist: ${folder}`
    return `the folder to run in cannot be reached: ${folder} (${code})`
  }
}

function hasNull(text: string): boolean {
  return text.includes('\0')
}
