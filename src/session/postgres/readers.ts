import type { Clock } from '../../platform.ts'
import { StoreError } from '../store-error.ts'
import type { Sql } from '../tables/sql.ts'
import { databaseName } from './address.ts'
import { connectAgain, type DatabaseClient, openClient, type PostgresAddress } from './client.ts'

const MOST_READERS = 4

/** Connections that read, opened when they are needed. */
export function createReaders(at: PostgresAddress & { readonly readers?: number | undefined }, clock: Clock) {
  const most = at.readers ?? MOST_READERS
  const free: DatabaseClient[] = []
  const waiting: ((client: DatabaseClient | undefined) => void)[] = []
  let open = 0
  let closed = false

  return {
    /** Runs what only reads. In a `snapshot` it sees one state of the database. */
    async read<Result>(work: Sql<Result>, isSnapshot: boolean): Promise<Result> {
      let client = await take()
      try {
        if (isSnapshot) {
          client = await begun(client)
          try {
            return await client.work(work)
          } finally {
            await client.execute('rollback').catch(() => {})
          }
        }
        let next = work.next()
        while (!next.done) {
          let answered: unknown
          try {
            answered = await client.answer(next.value)
          } catch (error) {
            if (client.isLost) client = await replace(client)
            else next = work.throw(error)
            continue
          }
          next = work.next(answered)
        }
        return next.value
      } finally {
        give(client)
      }
    },
    async close() {
      closed = true
      await Promise.all(free.splice(0).map((client) => client.end()))
    },
  }

  async function begun(client: DatabaseClient): Promise<DatabaseClient> {
    for (let reader = client; ; reader = await replace(reader)) {
      try {
        await reader.begin('isolation level repeatable read read only')
        return reader
      } catch (error) {
        if (!reader.isLost) throw error
      }
    }
  }

  async function take(): Promise<DatabaseClient> {
    if (closed) throw new StoreError('closed', `the store ${databaseName(at)} is closed`)
    const client = free.pop()
    if (client) return client.isLost ? replace(client) : client
    if (open < most) {
      open += 1
      return connectAgain(clock, () => openClient(at)).catch((error: unknown) => {
        open -= 1
        throw error
      })
    }
    const { promise, resolve } = Promise.withResolvers<DatabaseClient | undefined>()
    waiting.push(resolve)
    const given = await promise
    if (!given) return take()
    return given.isLost ? replace(given) : given
  }

  function give(client: DatabaseClient): void {
    const next = waiting.shift()
    if (next) next(client)
    else if (closed) void client.end()
    else free.push(client)
  }

  async function replace(lost: DatabaseClient): Promise<DatabaseClient> {
    await lost.end()
    return connectAgain(clock, () => openClient(at))
  }
}
