import { after, before, test as register } from 'node:test'
import { storeCases } from '../cases/session-store-cases.ts'
import { startPostgres, withoutPostgres } from './postgres-server.ts'
import { systemClock } from '../../src/platform.ts'
import { openPostgresStore } from '../../src/session/postgres/open-postgres-store.ts'

let server: Awaited<ReturnType<typeof startPostgres>>
before(async () => {
  if (withoutPostgres === undefined) server = await startPostgres()
})
after(() => server?.stop())

const test = (name: string, run: () => Promise<void>) => void register(name, { skip: withoutPostgres ?? false }, run)

// Each case has a schema of its own in one database, beside those of all the others.
let database: Promise<string> | undefined
let schemas = 0
storeCases(test, async () => {
  const address = await (database ??= server.database())
  schemas += 1
  const schema = `home_${schemas}`
  return { open: () => openPostgresStore({ clock: systemClock, address, schema }), remove: async () => {} }
})
