import type { Clock } from '../../platform.ts'
import type { StoredBytes } from '../content.ts'
import { schemaOf } from './address.ts'
import type { PostgresAddress } from './client.ts'
import { openObjectBytes } from './object-bytes.ts'
import { openByteTable } from './stored-bytes.ts'

/**
 * The bytes of the files of a store: in its database, or in a bucket where it names one. What came into the database before it did is
 * read there.
 */
export function openFileBytes(at: PostgresAddress, clock: Clock): StoredBytes & { close(): Promise<void> } {
  const table = openByteTable(at)
  if (at.files === undefined) return table
  const objects = openObjectBytes(at.files, schemaOf(at), clock)
  return {
    put: objects.put,
    async *read(hash) {
      let isThere = false
      for await (const piece of objects.read(hash)) {
        isThere = true
        yield piece
      }
      if (!isThere) yield* table.read(hash)
    },
    async remove(hash) {
      await objects.remove(hash)
      await table.remove(hash)
    },
    hashes: async () => new Set([...(await objects.hashes()), ...(await table.hashes())]),
    close: table.close,
  }
}
