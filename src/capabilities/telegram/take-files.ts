import { exactLine } from '../../context.ts'
import { type FileLibrary, inbox, RuntimeError } from '../../capability.ts'
import { type TelegramFiles, TelegramFileError } from './api/telegram-files.ts'
import type { ParsedFile } from './parsed-files.ts'
import type { Sleep } from './telegram-options.ts'
import { shortened } from './shown-text.ts'

/** What became of the files of a message. */
export interface TakenFiles {
  /** Ids in the library, in the order of the message. */
  readonly ids: readonly string[]
  /** A line for each file that was not taken, for the person who sent it. */
  readonly faults: readonly string[]
}

export interface TakeFilesParts {
  /** `undefined` where this gateway takes no files. */
  readonly library: Pick<FileLibrary, 'add'> | undefined
  readonly files: TelegramFiles
  /** Of one file, bytes. */
  readonly maxBytes: number
  readonly sleep: Sleep
  readonly signal: AbortSignal
}

/** Waits before the next try where Telegram cannot be reached, ms. */
const TRIES = [1_000, 5_000] as const

/** Takes files one after another. What cannot be taken keeps no other file back. */
export async function takeFiles(parsed: readonly ParsedFile[], parts: TakeFilesParts): Promise<TakenFiles> {
  const ids: string[] = []
  const faults: string[] = []
  for (const file of parsed) {
    try {
      ids.push(await taken(file, parts))
    } catch (error) {
      parts.signal.throwIfAborted()
      if (!isTold(error)) throw error
      faults.push(`${shortened(exactLine(file.name), 100)}: ${error.message}`)
    }
  }
  return { ids, faults }
}

async function taken(file: ParsedFile, parts: TakeFilesParts): Promise<string> {
  for (let n = 0; ; n += 1) {
    try {
      return await takenOnce(file, parts)
    } catch (error) {
      const wait = TRIES[n]
      if (!(error instanceof TelegramFileError) || error.reason !== 'unreachable' || wait === undefined) throw error
      await parts.sleep(wait, parts.signal)
      parts.signal.throwIfAborted()
    }
  }
}

async function takenOnce({ id, name, size }: ParsedFile, parts: TakeFilesParts): Promise<string> {
  const { library, files, maxBytes, signal } = parts
  if (!library) throw new RuntimeError('invalid-input', 'This gateway takes no files.')
  if (size !== undefined && size > maxBytes) {
    throw new TelegramFileError('too-large', `It has ${size} bytes; at most ${maxBytes} are taken.`)
  }
  const bytes = await files.download(id, { maxBytes, signal })
  return (await library.add({ name, bytes, owner: inbox })).id
}

/** What the person can do something about. */
function isTold(error: unknown): error is Error {
  return error instanceof TelegramFileError || (error instanceof RuntimeError && error.code === 'invalid-input')
}
