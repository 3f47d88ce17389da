import { hostname } from 'node:os'
import type { Clock } from '../../platform.ts'
import type { GatewayFacts, Gateways, Standby } from '../gateways.ts'
import type { SessionStore } from '../session-store.ts'
import { StoreError } from '../store-error.ts'
import { createStore, type StoreQueue } from '../tables/create-store.ts'
import type { Sql } from '../tables/sql.ts'
import { databaseName } from './address.ts'
import { openBudgetTable } from './budget-table.ts'
import { openBesideWriter } from './beside-writer.ts'
import type { PostgresAddress } from './client.ts'
import { announceGateway, HEARTBEAT_MS, LEASE_MS, readGateways, registerGateway } from './ownership.ts'
import { createReaders } from './readers.ts'
import { prepareTables } from './prepare-tables.ts'
import { createDatabaseQueue } from './write-queue.ts'
import { openFileBytes } from './file-bytes.ts'
import { openWriter, type Writer } from './writer.ts'

/** How a store in a PostgreSQL database is opened. */
export interface PostgresStoreOptions extends PostgresAddress {
  readonly clock: Clock
  readonly readOnly?: boolean | undefined
  /** How many connections may read at once, from 1 on. 4 where absent. A store that writes has one more. */
  readonly readers?: number | undefined
  /** Where another process has the store, this one waits for it. Absent: it is refused. */
  readonly standby?: Standby | undefined
  /** For a process that writes beside the gateway, and only what the gateway does not keep in memory. */
  readonly beside?: boolean | undefined
}

/**
 * Opens the store that a database has, and makes its tables where they are missing. One process writes: it holds a lock of the database
 * for as long as it is connected.
 *
 * @throws StoreError `busy`, `claimed`, `closed` (the wait for the store was ended), `io`, `newer`, `not-found` (only when `readOnly`)
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<SessionStore> {
  const { clock, readOnly = false, beside = false, standby } = options
  const place = databaseName(options)
  await prepareTables(options, readOnly ? 'read' : clock)
  const id = clock.newId('gateway')
  const gateway: GatewayFacts = standby?.gateway ?? { host: hostname(), version: '' }
  const owner = readOnly || beside ? undefined : await openWriter({ at: options, clock, id, gateway, standby })
  const writer = beside && !readOnly ? await openBesideWriter(options) : owner
  const readers = createReaders(options, clock)
  const queue = createDatabaseQueue(writer ?? neverWrites, clock)
  const heart = owner && startHeart(owner, queue, () => registerGateway(id, gateway), clock)
  const bytes = openFileBytes(options, clock)
  const close = async () => {
    heart?.stop()
    await Promise.all([writer?.close(), readers.close(), bytes.close()])
  }
  try {
    const store = await createStore({
      place,
      clock,
      readOnly,
      beside,
      read: (work, sees) => readers.read(work, sees !== undefined),
      queue,
      async openMemory() {
        const { openMemoryStore } = await import('../sqlite/open-sqlite-store.ts')
        return openMemoryStore(clock)
      },
      close,
    })
    const gateways: Gateways = {
      id,
      tookOver: owner?.tookOver ?? false,
      isCutOff: () => (heart?.isLate() ?? false) || gateway.signs?.isSilent() === true,
      list: () => readers.read(readGateways(), false),
      async announce(address) {
        await queue.push(() => announceGateway(id, address))
      },
    }
    const budgets = openBudgetTable(queue, (work) => readers.read(work, false))
    return { ...store, gateways, bytes, budgets }
  } catch (error) {
    await close()
    throw error
  }
}

/** Says again and again that this process writes: through the queue of its writes, so that it is alive as far as they are. */
function startHeart(writer: Writer, queue: StoreQueue, beat: () => Sql<number>, clock: Clock) {
  let last = clock.monotonic()
  let isWaiting = false
  let isExamining = false
  const isLate = () => clock.monotonic() - last > LEASE_MS
  const next = async () => {
    isWaiting = true
    try {
      await queue.push(beat)
      last = clock.monotonic()
    } finally {
      isWaiting = false
    }
  }
  const examine = async () => {
    isExamining = true
    try {
      await writer.examine()
    } finally {
      isExamining = false
    }
  }
  const stop = clock.every(
    HEARTBEAT_MS,
    () => {
      if (!isWaiting) next().catch(() => {})
      else if (isLate() && !isExamining) examine().catch(() => {})
    },
    { idle: true },
  )
  return { stop, isLate }
}

/** The store itself refuses each write before. */
const neverWrites: Pick<Writer, 'transaction'> = {
  async transaction() {
    throw new StoreError('readonly', 'the store was opened for reading')
  },
}
