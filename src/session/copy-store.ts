import { type CopiedTable, type CopyOptions, copyRows, type CopyTarget } from './copy/copy-rows.ts'
import { isPostgresAddress } from './postgres/address.ts'
import type { PostgresAddress } from './postgres/client.ts'

/** Where a store is: a file, or the address of a database and how it is reached. */
export interface CopyPlace extends Omit<PostgresAddress, 'address'> {
  readonly path: string
}

/**
 * Copies every row of a store into another place, and compares them. Both are nobody else's meanwhile. The first stays as it is; the
 * second has all of it afterwards, or nothing.
 *
 * @throws StoreError `claimed` (a gateway uses one of them), `conflict` (there is a store already), `not-found`, `not-synced`, `newer`, `io`
 */
export async function copyStore(from: CopyPlace, to: CopyPlace, options: CopyOptions): Promise<readonly CopiedTable[]> {
  const { clock } = options
  const source = isPostgresAddress(from.path)
    ? await (await import('./postgres/copy-side.ts')).openDatabaseSource({ ...from, address: from.path })
    : (await import('./sqlite/copy-side.ts')).openFileSource(from.path, clock)
  let target: CopyTarget
  try {
    target = isPostgresAddress(to.path)
      ? await (await import('./postgres/copy-side.ts')).openDatabaseTarget({ ...to, address: to.path })
      : (await import('./sqlite/copy-side.ts')).openFileTarget(to.path, clock)
  } catch (error) {
    await source.end()
    throw error
  }
  const { openMemoryStore } = await import('./sqlite/open-sqlite-store.ts')
  return copyRows(source, target, { ...options, openMemory: () => openMemoryStore(clock) })
}
