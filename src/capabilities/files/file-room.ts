import { type PersonRoom, RuntimeError } from '../../capability.ts'
import { defined } from '../../platform.ts'
import type { FileRow, FileStore, FileTotals } from '../../session.ts'

/** How many files a home has, and may have. */
export interface FileRoom extends FileTotals {
  readonly maxFiles?: number
  readonly maxBytes?: number
}

/** The files that are there where there is a limit; `undefined`: there is none. */
export async function fileRoom(
  store: Pick<FileStore, 'fileTotals'>,
  { maxFiles, maxFileBytes }: PersonRoom,
): Promise<FileRoom | undefined> {
  if (maxFiles === undefined && maxFileBytes === undefined) return undefined
  return { ...(await store.fileTotals()), ...defined({ maxFiles, maxBytes: maxFileBytes }) }
}

/** Throws a RuntimeError `over-quota` where one more file has no room. */
export function requireRoom(room: FileRoom | undefined, { name, bytes }: Pick<FileRow, 'name' | 'bytes'>): void {
  if (room === undefined) return
  const { maxFiles = Infinity, maxBytes = Infinity } = room
  const refuse = (why: string, what: string, setting: string) => {
    const hint = `The owner of this gateway can allow more: \`${setting}\`.`
    const message = `The file ${name} was refused: ${why}. Remove ${what} not needed any more.`
    throw new RuntimeError('over-quota', message, { ...room }, { hint })
  }
  if (room.files >= maxFiles)
    refuse(`there are ${room.files} files, and ${maxFiles} may be there`, 'one that is', 'people.maxFiles')
  if (room.bytes + bytes > maxBytes)
    refuse(
      `it has ${bytes} bytes, and ${room.bytes} of ${maxBytes} are in use`,
      'files that are',
      'people.maxFileBytes',
    )
}
