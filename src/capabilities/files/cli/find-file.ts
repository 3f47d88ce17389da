import type { FileRow } from '../../../session.ts'
import { ask } from '../../../cli.ts'
import type { Connection } from '../../../capability.ts'

export async function fetchFiles(connection: Connection, query = ''): Promise<readonly FileRow[]> {
  return (await ask<{ files: readonly FileRow[] }>(connection, `/api/files${query}`)).files
}
