import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { CommandCall, CommandOption, Io } from '../capability.ts'
import { errorMessage } from '../platform.ts'
import { CommandFailure, usageFailure } from './failure.ts'
import { note, readInput } from './io.ts'

/** How long to wait for the first bytes of a pipe beside a text, ms. A producer such as `git diff` needs much less. */
const FIRST_BYTES_MS = 2_000

/** Piped input; `undefined` on a terminal, and for an empty or idle pipe. `patient`: waits, since the command asks for it. */
export async function readPipedInput(
  io: Io,
  { patient = false }: { readonly patient?: boolean } = {},
): Promise<string | undefined> {
  if (io.stdin.isTTY === true && !patient) return undefined
  const bytes = await everything(io.stdin, patient ? undefined : (io.firstInputMs ?? FIRST_BYTES_MS))
  if (bytes === undefined) {
    const text = 'Standard input sent nothing, so it is not part of the message. Add `-` after the text to wait for it.'
    note(io, text)
    return undefined
  }
  const text = decoded(bytes).replace(/(?:\r?\n)+$/, '')
  return text.trim() === '' ? undefined : text
}

/** Reads to the end. `undefined`: the first bytes did not arrive within `firstMs`. */
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
      const hint = 'Send without it: add `< /dev/null`.'
      reject(new CommandFailure('file', `Cannot read standard input: ${error.message}.`, { hint, cause: error }))
    })
  })
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new CommandFailure('invalid-input', 'Standard input is not UTF-8 text.', {
      hint: 'Attach it as a file: `--file PATH`.',
      cause: error,
    })
  }
}

/** Reads a file named on the command line as text; `-` is standard input. */
export async function readNamedFile(name: string, io: Io): Promise<string> {
  if (name === '-') return await readInput(io)
  try {
    return await readFile(name, 'utf8')
  } catch (error) {
    throw fileFailure(name, 'read', error)
  }
}

/** Writes a file named on the command line, which only its owner can read. */
export async function writeNamedFile(name: string, content: Readable): Promise<void> {
  await writeFileFrom(name, content, 'w')
}

/** Resolves once it is on the disk. Fails where the file exists. */
export async function writeFileOnce(name: string, content: Readable): Promise<void> {
  await writeFileFrom(name, content, 'wx')
}

async function writeFileFrom(name: string, content: Readable, flags: 'w' | 'wx'): Promise<void> {
  try {
    await pipeline(content, createWriteStream(name, { flags, mode: 0o600, flush: flags === 'wx' }))
  } catch (error) {
    throw fileFailure(name, 'written', error)
  }
}

export function fileFailure(name: string, action: 'read' | 'written', error: unknown): CommandFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const why: Readonly<Record<string, string>> = {
    ENOENT: 'no such file or folder',
    EACCES: 'permission denied',
    EEXIST: 'it exists already',
    EISDIR: 'it is a folder',
    ENOTDIR: 'it is not a folder',
    ENOSPC: 'the disk is full',
    EROFS: 'the disk is read-only',
  }
  return new CommandFailure(
    'file',
    `Cannot ${action === 'read' ? 'read' : 'write'} ${name}: ${why[code] ?? errorMessage(error)}.`,
    { cause: error },
  )
}

export const systemOption: CommandOption = {
  value: 'TEXT',
  summary: 'the system prompt of this turn only; `@FILE` reads it from a file',
}

/** The text of `--system`, if given. Standard input is reserved for the message. */
export async function readSystemOption(call: CommandCall, io: Io): Promise<string | undefined> {
  const given = call.text('system')
  if (given === undefined) return undefined
  const file = given.startsWith('@') ? given.slice(1) : undefined
  if (file === '' || file === '-')
    throw usageFailure(`--system cannot be ${given}.`, 'Name a file with `--system @FILE`.')
  const text = file === undefined ? given : await readNamedFile(file, io)
  if (text.trim() !== '') return text
  throw usageFailure(`${file ?? '--system'} is blank.`, 'Write a system prompt, or leave the option out.')
}
