import { hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { PathInFolder } from '../../capability.ts'
import { isKeptElsewhere } from '../../capability/toolkit.ts'
import { type TextFile, decodedFile } from '../../document.ts'
import { openWithin } from '../../platform.ts'

/** The largest file that can be read, searched or changed, bytes. */
export const MOST_FILE_BYTES = 16 * 1024 * 1024

export type WorkspaceFile =
  | (TextFile & {
      readonly type: 'text'
      readonly bytes: number
      /** SHA-256 of its bytes, lowercase hexadecimal. */
      readonly digest: string
      /** Permission bits. */
      readonly mode: number
    })
  | { readonly type: 'missing' }
  | { readonly type: 'folder' }
  /** It exists and cannot be used; `why` is a sentence. */
  | { readonly type: 'unusable'; readonly why: string }

/** Reads a whole text file of the workspace, in any encoding; follows no link and waits for no pipe. Never throws. */
export async function readTextFile(place: PathInFolder): Promise<WorkspaceFile> {
  const { root, names } = place
  if (names.length === 0) return { type: 'folder' }
  const shown = printableName(names.join('/'))
  let file: FileHandle | undefined
  try {
    file = await openWithin(root, names)
    if (await isKeptElsewhere(await file.stat({ bigint: true }), place)) {
      return unusable(`${shown} is out of reach for tools: it is another name of a file that is kept from them`)
    }
    return await readContent(file, shown)
  } catch (error) {
    return describeError(error as NodeJS.ErrnoException, shown)
  } finally {
    await file?.close().catch(() => {})
  }
}

async function readContent(file: FileHandle, shown: string): Promise<WorkspaceFile> {
  const found = await file.stat()
  if (found.isDirectory()) return { type: 'folder' }
  if (!found.isFile()) return notAFile(shown)
  const tooLarge = unusable(
    `${shown} is too large: it holds ${found.size} bytes, and at most ${MOST_FILE_BYTES} can be read`,
  )
  if (found.size > MOST_FILE_BYTES) return tooLarge
  const bytes = await readBytes(file, found.size)
  if (bytes === undefined) return tooLarge
  const text = decodedFile(bytes)
  if (text === undefined) return unusable(`${shown} is a binary file of ${bytes.length} bytes: it is not shown as text`)
  return { type: 'text', ...text, bytes: bytes.length, digest: contentDigest(bytes), mode: found.mode & 0o777 }
}

export function contentDigest(content: Uint8Array): string {
  return hash('sha256', content, 'hex')
}

/** `undefined` if the file has grown beyond the limit. */
async function readBytes(file: FileHandle, size: number): Promise<Uint8Array | undefined> {
  let buffer = Buffer.alloc(size + 1)
  let filled = 0
  for (;;) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled)
    filled += bytesRead
    if (bytesRead === 0) return buffer.subarray(0, filled)
    if (filled > MOST_FILE_BYTES) return undefined
    if (filled === buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(filled + 1024)])
  }
}

function describeError({ code, message }: NodeJS.ErrnoException, shown: string): WorkspaceFile {
  if (code === 'ENOENT') return { type: 'missing' }
  if (code === 'ELOOP') return unusable(`${shown} has become a link since it was checked`)
  if (code === 'ENXIO' || code === 'ENODEV') return notAFile(shown)
  if (code === 'ENOTDIR') return unusable(`${shown}: a part of the path is not a folder`)
  if (code === 'EACCES' || code === 'EPERM') return unusable(`${shown} may not be read (permissions)`)
  return unusable(`${shown} cannot be read: ${code ?? message}`)
}

function notAFile(shown: string): WorkspaceFile {
  return unusable(`${shown} is a pipe, a socket or a device, not a file`)
}

function unusable(why: string): WorkspaceFile {
  return { type: 'unusable', why }
}

export interface WorkspaceOptions {
  /** The agent's own folder, absolute. Nothing outside of it is in reach, wherever links lead. */
  readonly folder: string
  /** Folders that stay out of reach even inside the workspace, absolute: for example the home. */
  readonly outOfReach?: readonly string[]
  /** Files that become instructions or programs, and folders of skills, besides the usual ones: read-only, absolute. */
  readonly readOnly?: readonly string[]
  /** How many bytes there may be in it now; `undefined`: as many as the disk has. Absent: the same. */
  readonly maxBytes?: () => number | undefined
}

/** What a person calls the folder that a tool was given: its path, or the workspace. */
export function placeName(path: unknown): string {
  return path === '.' || path === '' ? 'the workspace' : String(path)
}

/** A path as one visible line: characters that are invisible or would break the line are escaped, and `others`. */
export function printableName(path: string, others?: RegExp): string {
  const escaped = (character: string) => `\\u{${character.codePointAt(0)!.toString(16)}}`
  const line = path.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, escaped)
  return others === undefined ? line : line.replace(others, escaped)
}
