import type { FileRow } from '../../../session.ts'
import { ask, theOneNamed } from '../../../cli.ts'
import type { Connection } from '../../../capability.ts'

export async function fetchFiles(connection: Connection, query = ''): Promise<readonly FileRow[]> {
  return (await ask<{ files: readonly FileRow[] }>(connection, `/api/files${query}`)).files
}

/** The one that a word means: its id, its name in any case, or a beginning that only one of them has. */
export async function findFile(connection: Connection, word: string): Promise<FileRow> {
  return theOneNamed(word, await fetchFiles(connection), (row) => row, 'file')
}
