import { readFile } from 'node:fs/promises'
import type { CommandCall, CommandOption, Io } from '../capability.ts'
import { errorMessage } from '../platform.ts'
import { CommandFailure, usageFailure } from './failure.ts'
import { note, readInput } from './io.ts'

/** How long the first bytes of a pipe are waited for beside a text, ms. A producer such as `git diff` needs much less. */
const FIRST_BYTES_MS = 2_000

/**
 * What is piped in; `undefined` where nothing is: on a terminal, where the input is empty, and where a pipe is open but idle,
 * as those that cron, a service or a test harness leave open. `patient`: the input was asked for, so it is waited for.
 */
export async function readPipedInput(
  io: Io,
  { patient = false }: { readonly patient?: boolean } = {},
): Promise<string | undefined> {
  if (io.stdin.isTTY === true && !patient) return undefined
  const bytes = await everything(io.stdin, patient ? undefined : (io.firstInputMs ?? FIRST_BYTES_MS))
  if (bytes === undefined) {
    const text =
      'Nothing came on the standard input, so it is not part of the message. `-` behind the text waits for it.'
    note(io, text)
    return undefined
  }
  const text = decoded(bytes).replace(/(?:\r?\n)+$/, '')
  return text.trim() === '' ? undefined : text
}

/** `undefined`: the first bytes did not come within `firstMs`. Once they came, the rest is waited for. */
function everything(input: Io['stdin'], firstMs: number | undefined): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const timer = firstMs === undefined ? undefined : setTimeout(giveUp, firstMs)

    function giveUp(): void {
      input.off('data', take)
      // An open pipe would keep the process alive.
      if ('destroy' in input && typeof input.destroy === 'function') input.destroy()
      resolve(undefined)
    }

    function take(chunk: Buffer | string): void {
      clearTimeout(timer)
      chunks.push(Buffer.from(chunk))
    }

    input.on('data', take)
    input.once('end', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks))
    })
    input.once('error', (error: Error) => {
      clearTimeout(timer)
      const hint = 'Send without it: `< /dev/null`.'
      reject(new CommandFailure('file', `the standard input cannot be read: ${error.message}.`, { hint, cause: error }))
    })
  })
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new CommandFailure('invalid-input', 'the standard input is no text (UTF-8).', {
      hint: 'Attach it as a file: `--file PATH`.',
      cause: error,
    })
  }
}

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
  return new CommandFailure('file', `${name} cannot be ${action}: ${why[code] ?? errorMessage(error)}.`, {
    cause: error,
  })
}

export const systemOption: CommandOption = {
  value: 'TEXT',
  summary: 'the system prompt of this turn alone; `@FILE` reads it from a file',
}

/** The text of `--system`; `undefined` where it is not given. The standard input is for the message. */
export async function readSystemOption(call: CommandCall, io: Io): Promise<string | undefined> {
  const given = call.text('system')
  if (given === undefined) return undefined
  const file = given.startsWith('@') ? given.slice(1) : undefined
  if (file === '' || file === '-') throw usageFailure(`--system cannot be ${given}.`, 'Name a file: `--system @FILE`.')
  const text = file === undefined ? given : await readNamedFile(file, io)
  if (text.trim() !== '') return text
  throw usageFailure(
    `${file ?? '--system'} is blank.`,
    'Write the system prompt of this turn, or leave the option out.',
  )
}
