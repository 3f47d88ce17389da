import { type Clock, serialQueue } from '../../platform.ts'
import type { BudgetLedger } from '../budget-ledger.ts'
import type { Sql } from '../tables/sql.ts'
import { oneAfterAnother, openBudgetTable } from './budget-table.ts'
import { connectAgain, type DatabaseClient, openClient, type PostgresAddress } from './client.ts'
import { createDatabaseQueue } from './write-queue.ts'

/**
 * The ledger of a store for accounts that the people of several gateways share, over a connection of its own. It asks for no epoch: who
 * lost the home of a person is refused by the ledger of that home before.
 */
export function openSharedTable(at: PostgresAddress, clock: Clock): BudgetLedger {
  let connected: Promise<DatabaseClient> | undefined
  let isClosed = false
  const serial = serialQueue()

  function connect(): Promise<DatabaseClient> {
    connected ??= connectAgain(clock, () => openClient(at)).catch((error: unknown) => {
      connected = undefined
      throw error
    })
    return connected
  }

  /** One after another, since they are on one connection. */
  const transaction = <Result>(work: () => Sql<Result>): Promise<Result> => serial.add(() => transact(work))

  async function transact<Result>(work: () => Sql<Result>): Promise<Result> {
    const client = await connect()
    try {
      await client.begin('')
      const result = await client.work(work())
      await client.commit()
      return result
    } catch (error) {
      await client.execute('rollback').catch(() => {})
      if (client.isLost) connected = undefined
      throw error
    }
  }

  const queue = createDatabaseQueue({ transaction }, clock)
  const table = openBudgetTable(queue, (work) => transaction(() => work), oneAfterAnother)
  return {
    ...table,
    close() {
      if (isClosed) return
      isClosed = true
      void Promise.resolve(queue.idle())
        .then(() => connected)
        .then((client) => client?.end())
        .catch(() => {})
    },
  }
}
