import { test as register } from 'node:test'
import { storeCases } from '../cases/session-store-cases.ts'
import { postgresForTests } from './postgres-for-tests.ts'
import { systemClock } from '../../src/platform.ts'
import { openPostgresStore } from '../../src/session/postgres/open-postgres-store.ts'

const { options, server } = postgresForTests()

const test = (name: string, run: () => Promise<void>) => void register(name, options, run)

// Each case has a schema of its own in one database, beside those of all the others.
let database: Promise<string> | undefined
let schemas = 0
storeCases(test, async () => {
  const address = await (database ??= server().database())
  schemas += 1
  const schema = `home_${schemas}`
  return { open: () => openPostgresStore({ clock: systemClock, address, schema }), remove: async () => {} }
})
