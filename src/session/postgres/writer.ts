import type { Clock } from '../../platform.ts'
import { StoreError } from '../store-error.ts'
import type { Sql } from '../tables/sql.ts'
import { addressWithoutPassword } from './address.ts'
import { connectAgain, type DatabaseClient, openClient, type PostgresAddress } from './client.ts'

/** The connection that writes. It holds the lock of the database, so that both are lost together. */
export type Writer = Awaited<ReturnType<typeof openWriter>>

/** "FwSt" in ASCII. */
const LOCK = 0x46775374

/** @throws StoreError `claimed`, `io` */
export async function openWriter(at: PostgresAddress, clock: Clock) {
  const place = addressWithoutPassword(at.address)
  let client = await connect()

  return {
    /** Runs work in one transaction: again where its connection was lost before the commit. */
    async transaction<Result>(work: () => Sql<Result>): Promise<Result> {
      for (;;) {
        const writer = await connected()
        let id: string
        let result: Result
        try {
          const [row] = await writer.execute('begin; select pg_current_xact_id() as id')
          id = String(row!['id'])
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
          if (await wasCommitted(id)) return result
        }
      }
    },
    close: () => client.end(),
  }

  /** The connection, or the one that takes its place. */
  async function connected(): Promise<DatabaseClient> {
    if (!client.isLost) return client
    await client.end()
    try {
      // The database may not know yet that the former connection is gone, and keeps the lock for it.
      client = await connectAgain(clock, connect)
      return client
    } catch (cause) {
      throw lostError(cause)
    }
  }

  async function connect(): Promise<DatabaseClient> {
    const opened = await openClient(at)
    const [row] = await opened.execute(`select pg_try_advisory_lock(${LOCK}) as locked`)
    if (row?.['locked'] === true) return opened
    await opened.end()
    throw await claimedError()
  }

  async function wasCommitted(id: string): Promise<boolean> {
    let status: unknown
    // Its former connection may still be at it.
    do {
      const writer = await connected()
      try {
        status = (await writer.execute(`select pg_xact_status('${id}') as status`))[0]?.['status']
      } catch (cause) {
        if (!writer.isLost) throw lostError(cause)
        status = 'in progress'
      }
    } while (status === 'in progress')
    if (status === 'committed') return true
    if (status === 'aborted') return false
    throw lostError(new StoreError('io', `the database does not know the transaction ${id}`))
  }

  async function claimedError(): Promise<StoreError> {
    const who = await holderOf(at)
    return new StoreError('claimed', `The database ${place} is already used by ${who ?? 'another gateway'}.`, {
      hint: 'Stop that gateway first, or give this one another database.',
    })
  }

  function lostError(cause: unknown): StoreError {
    const message = `the store ${place} was lost, and what it has of the last write is not known: nothing more is written until the gateway is started again`
    return new StoreError('not-synced', message, { cause })
  }
}

/** Who holds the lock of a database, in words; `undefined`: nobody. */
async function holderOf(at: PostgresAddress): Promise<string | undefined> {
  const client = await openClient(at)
  try {
    const [row] = await client.execute(`
      select application_name as name, coalesce(host(client_addr), 'this machine') as host
        from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and granted and objid = ${LOCK} and classid = 0
          and pg_locks.database = (select oid from pg_database where datname = current_database())`)
    return row && `${String(row['name'])} of ${String(row['host'])}`
  } finally {
    await client.end()
  }
}
