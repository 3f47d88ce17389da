import { settlesWithin } from '../../platform.ts'
import { StoreError } from '../store-error.ts'
import type { Sql } from '../tables/sql.ts'
import { databaseName } from './address.ts'
import { connectAgain, type DatabaseClient, isTakenOver, openClient } from './client.ts'
import { refuseNewer } from './migrate-tables.ts'
import {
  LEASE_MS,
  readGateways,
  readHolder,
  readOwnership,
  READ_TRANSACTION,
  registerGateway,
  removeGateway,
  takeLockBack,
  takeStore,
} from './ownership.ts'
import { waitForStore, type WriterOptions } from './take-over.ts'

/** The connection that writes. It holds the lock of the database, so that both are lost together. */
export type Writer = Awaited<ReturnType<typeof openWriter>>

/** Takes the store for this process. @throws StoreError `claimed`, `closed` (the wait was ended), `io`, `newer` */
export async function openWriter(options: WriterOptions) {
  const { at, clock, id, gateway, standby } = options
  const place = databaseName(at)
  const opened = await open()
  let { client, pid } = opened
  const { epoch, tookOver } = opened

  return {
    tookOver,
    /** Runs work in one transaction: again where its connection was lost before the commit. */
    async transaction<Result>(work: () => Sql<Result>): Promise<Result> {
      for (;;) {
        const writer = await connected()
        let transaction: string
        let result: Result
        try {
          const [row] = await writer.begin('', READ_TRANSACTION)
          transaction = String(row!['id'])
          if (row!['epoch'] !== epoch) throw takenOverError()
          result = await writer.work(work())
        } catch (error) {
          // What was not committed is undone with its connection.
          if (writer.isLost) continue
          await writer.execute('rollback').catch(() => {})
          throw error
        }
        try {
          await writer.commit()
          return result
        } catch (error) {
          if (!writer.isLost) throw error
          if (await wasCommitted(transaction)) return result
        }
      }
    },
    /**
     * Where the database has not answered for long: gives the connection up if the database has nothing to answer, or another process has
     * the store. Without that, a connection across a network that drops everything would be waited for many minutes.
     */
    async examine(): Promise<void> {
      const [examined, own] = [client, pid]
      const other = await openClient(at)
      try {
        const [{ epoch: now }, holder] = [await other.work(readOwnership()), await other.work(readHolder())]
        if (now !== epoch || holder?.pid !== own || holder.waits) examined.drop()
      } finally {
        await other.end()
      }
    },
    async close() {
      if (!client.isLost) await client.work(removeGateway(id)).catch(() => {})
      await client.end()
    },
  }

  async function open() {
    const first = await openClient(at, { pipelined: true })
    try {
      await first.work(registerGateway(id, gateway))
      const taken = await take(first, false)
      if (taken) return { client: first, ...taken, tookOver: false }
      if (!standby) {
        await first.work(removeGateway(id))
        throw await claimedError()
      }
    } catch (error) {
      await first.end()
      throw error
    }
    return { ...(await waitForStore({ ...options, standby, place, first, take })), tookOver: true }
  }

  /** Makes this process the one that writes. `undefined`: another one is. */
  async function take(candidate: DatabaseClient, waited: boolean) {
    // A process that is frozen here would keep everybody from the store.
    await candidate.begin('', `set local idle_in_transaction_session_timeout = ${LEASE_MS}`)
    const taken = await candidate.work(takeStore(id, gateway, waited))
    try {
      // A later Foreword may have changed the tables. Nobody does from here on.
      await refuseNewer(candidate, place)
    } catch (error) {
      await candidate.execute('rollback').catch(() => {})
      throw error
    }
    if (taken === undefined) {
      await candidate.execute('rollback')
      return undefined
    }
    await candidate.commit()
    return { epoch: taken, pid: (await candidate.work(readOwnership())).pid }
  }

  /** The connection, or the one that takes its place. */
  async function connected(): Promise<DatabaseClient> {
    if (!client.isLost) return client
    await settlesWithin(clock, client.end(), LEASE_MS)
    try {
      ;({ client, pid } = await connectAgain(clock, connectBack))
      return client
    } catch (cause) {
      throw isTakenOver(cause) ? cause : lostError(cause)
    }
  }

  async function connectBack() {
    const next = await openClient(at, { pipelined: true })
    try {
      const found = await next.work(takeLockBack(pid))
      if (found.epoch !== epoch) throw takenOverError()
      if (!found.hasLock) throw await claimedError()
      return { client: next, pid: (await next.work(readOwnership())).pid }
    } catch (error) {
      await next.end()
      throw error
    }
  }

  async function wasCommitted(transaction: string): Promise<boolean> {
    let status: unknown
    // Its former connection may still be at it.
    do {
      const writer = await connected()
      try {
        status = (await writer.execute(`select pg_xact_status('${transaction}') as status`))[0]?.['status']
      } catch (cause) {
        if (!writer.isLost) throw lostError(cause)
        status = 'in progress'
      }
    } while (status === 'in progress')
    if (status === 'committed') return true
    if (status === 'aborted') return false
    throw lostError(new StoreError('io', `the database does not know the transaction ${transaction}`))
  }

  async function claimedError(): Promise<StoreError> {
    const other = await openClient(at)
    try {
      const [active] = await other.work(readGateways())
      const holder = await other.work(readHolder())
      const where = active?.since !== undefined && active.address !== undefined ? ` at ${active.address}` : ''
      const who = holder ? `${holder.words}${where}` : 'another gateway'
      return new StoreError('claimed', `The database ${place} is already used by ${who}.`, {
        hint: 'Stop that gateway first, or give this one another database or schema.',
      })
    } finally {
      await other.end()
    }
  }

  function takenOverError(): StoreError {
    const message = `another gateway has taken the store ${place} over, since this one gave no sign for ${LEASE_MS / 1_000} s or lost its connection: nothing more is written here`
    const hint = 'Start it again, and it stands by. `foreword gateways` lists who is there.'
    return new StoreError('taken-over', message, { hint })
  }

  function lostError(cause: unknown): StoreError {
    const message = `the store ${place} was lost, and what it has of the last write is not known: nothing more is written until the gateway is started again`
    return new StoreError('not-synced', message, { cause })
  }
}
