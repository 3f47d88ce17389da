import { access, constants, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { readText } from '../../tool.ts'
import {
  type Clock,
  ForewordError,
  type ForewordErrorOptions,
  withFileLock,
  writeFileAtomically,
} from '../../platform.ts'
import { createHome, homeAt } from './home.ts'

/** A change of a file that its owner writes by hand, such as `config.json`. */
export interface FileEdit {
  /** Path of the home: two edits in it wait for each other, in this process or another one. */
  readonly home: string
  readonly path: string
  readonly clock: Clock
  /** The text after the change (of none, where there is no file), both without a byte order mark. Where it throws, nothing is written. */
  change(text: string): string
  /** Throws where the gateway could not read this text as intended. Called with the text that the gateway's own reader reads from disk. */
  check(text: string): void | Promise<void>
}

/** A file of the owner that could not be read, or would not have been read again; nothing was changed. */
export class FileEditError extends ForewordError {
  override readonly name = 'FileEditError'

  constructor(message: string, options?: ForewordErrorOptions) {
    super('file', message, {}, options)
  }
}

/**
 * Changes a file of the owner, whole or not at all, and returns whether anything of it changed. The new text is written
 * beside it, brought to disk, and read again by the reader that reads the file; only what passes its check is put in its
 * place. What somebody else writes meanwhile is not lost: the change is made again, of that. Permission bits, a byte
 * order mark and links stay; a new file is for its owner alone (0600).
 *
 * @throws FileEditError, and what `change` and `check` throw
 */
export async function editFile(edit: FileEdit): Promise<boolean> {
  const home = homeAt(edit.home)
  await createHome(home)
  try {
    return await withFileLock(edit.clock, join(home.data, '.lock'), () => editUnderLock(edit))
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error
    throw new FileEditError(`${edit.path} was left as it is: ${error.message}.`, { cause: error })
  }
}

async function editUnderLock(edit: FileEdit): Promise<boolean> {
  const target = await realpath(edit.path).catch(() => edit.path)
  for (;;) {
    const before = await exactText(target)
    const mark = before?.text.startsWith('\uFEFF') ? '\uFEFF' : ''
    const text = (before?.text ?? '').slice(mark.length)
    const after = edit.change(text)
    if (after === text) return false
    if (before) await refuseReadOnly(target)
    if (await replace(target, before, mark + after, edit)) return true
  }
}

interface Exact {
  readonly text: string
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** With its byte order mark; `undefined` where there is no file. */
async function exactText(path: string): Promise<Exact | undefined> {
  const found = await readText(path)
  if (found.type === 'missing') return undefined
  if (found.type === 'unreadable') throw new FileEditError(`${path} cannot be read: ${found.why}.`)
  const file = await open(path)
  try {
    const { mode, uid, gid } = await file.stat()
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.readFile())
    return { text, mode: mode & 0o7777, uid, gid }
  } finally {
    await file.close()
  }
}

async function refuseReadOnly(path: string): Promise<void> {
  try {
    await access(path, constants.W_OK)
  } catch (error) {
    throw new FileEditError(`${path} is read-only. Make it writable, or change it yourself.`, { cause: error })
  }
}

/** Returns `false` where the file has changed meanwhile. */
function replace(target: string, before: Exact | undefined, text: string, edit: FileEdit): Promise<boolean> {
  return writeFileAtomically(target, text, {
    mode: before?.mode,
    // Somebody else's file stays theirs.
    owner: before,
    async check(beside) {
      const read = await readText(beside)
      if (read.type !== 'text') {
        const why = read.type === 'unreadable' ? read.why : 'it has gone'
        throw new FileEditError(`${edit.path} was left as it is: after the change it could not be read (${why}).`)
      }
      await edit.check(read.text)
      return (await exactText(target))?.text === before?.text
    },
  })
}
