import type { Sql } from '../tables/sql.ts'
import { openClient, type PostgresAddress } from './client.ts'
import type { Writer } from './writer.ts'

/**
 * A connection that writes beside the gateway, such as that of a command. The audit is a chain: nobody else reads its end while this one
 * adds to it.
 */
export async function openBesideWriter(at: PostgresAddress): Promise<Pick<Writer, 'transaction' | 'close'>> {
  const client = await openClient(at)
  return {
    async transaction<Result>(work: () => Sql<Result>) {
      await client.begin('', 'lock table audit in access exclusive mode')
      try {
        const result = await client.work(work())
        await client.commit()
        return result
      } catch (error) {
        await client.execute('rollback').catch(() => {})
        throw error
      }
    },
    close: () => client.end(),
  }
}
