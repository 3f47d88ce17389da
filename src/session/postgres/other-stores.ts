import type { Clock } from '../../platform.ts'
import { StoreError } from '../store-error.ts'
import { databaseName, schemaOf } from './address.ts'
import { openClient, type PostgresAddress } from './client.ts'
import type { StoredBytes } from '../content.ts'
import type { GatewayRow } from '../gateways.ts'
import { openObjectBytes } from './object-bytes.ts'
import { ownerLock, readGateways } from './ownership.ts'

/** How long the process that has the store may need to end, ms. */
const WAIT_MS = 15_000
const POLL_MS = 100

/** Removes the schema of a store once no process has it. @throws StoreError `claimed` where one goes on having it, `io` */
export async function dropStore(at: PostgresAddress, clock: Clock): Promise<void> {
  const client = await openClient(at)
  const schema = schemaOf(at)
  try {
    const until = clock.monotonic() + WAIT_MS
    for (;;) {
      const [row] = await client.execute(`select pg_try_advisory_lock(${ownerLock(`'${schema}'`)}) as taken`)
      if (row?.['taken'] === true) break
      if (clock.monotonic() > until)
        throw new StoreError('claimed', `the store ${databaseName(at)} is in use by another gateway`)
      await clock.sleep(POLL_MS)
    }
    // First of all: what cannot be removed there can be tried again as long as the store is there.
    if (at.files !== undefined) await removeObjects(openObjectBytes(at.files, schema, clock))
    await client.execute(`drop schema if exists "${schema}" cascade`)
  } finally {
    await client.end()
  }
}

async function removeObjects({ hashes, remove }: Pick<StoredBytes, 'hashes' | 'remove'>): Promise<void> {
  for (const hash of await hashes()) await remove(hash)
}

/** The processes on a store; none where there is no such store. @throws StoreError `io` */
export async function listGateways(at: PostgresAddress): Promise<readonly GatewayRow[]> {
  const client = await openClient(at)
  try {
    const [row] = await client.execute(`select to_regclass('"${schemaOf(at)}".gateways') is not null as made`)
    return row?.['made'] === true ? await client.work(readGateways()) : []
  } finally {
    await client.end()
  }
}
