import { readFile } from 'node:fs/promises'
import { CommandFailure } from './failure.ts'
import { readInput } from './io.ts'
import type { Io } from '../capability.ts'

/** The text of a file that was named on the command line; `-` is the standard input. */
export async function readNamedFile(name: string, io: Io): Promise<string> {
  if (name === '-') return await readInput(io)
  try {
    return await readFile(name, 'utf8')
  } catch (error) {
    throw fileFailure(name, 'read', error)
  }
}

/** Why a file could not be read or written, in words. */
export function fileFailure(name: string, action: 'read' | 'written', error: unknown): CommandFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const why: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or folder',
    EACCES: 'its permissions do not allow it',
    EISDIR: 'it is a folder',
    ENOTDIR: 'it is not a folder',
    ENOSPC: 'the disk is full',
    EROFS: 'the disk is read-only',
  }
  return new CommandFailure('file', `${name} cannot be ${action}: ${why[code] ?? messageOf(error)}.`, { cause: error })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
