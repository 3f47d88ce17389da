import { after, before } from 'node:test'
import { startPostgres, withoutPostgres } from './postgres-server.ts'

/** One PostgreSQL for all tests of a file, and the options with which they are skipped where there is none. */
export function postgresForTests(given: Parameters<typeof startPostgres>[0] = {}) {
  let server: Awaited<ReturnType<typeof startPostgres>> | undefined
  before(async () => {
    if (withoutPostgres === undefined) server = await startPostgres(given)
  })
  after(() => server?.stop())
  return { options: { skip: withoutPostgres ?? false }, server: () => server! }
}
