import { createInterface } from 'node:readline'
import { systemClock } from '../../src/platform.ts'
import { openPostgresStore } from '../../src/session/postgres/open-postgres-store.ts'

/** Opens the store whose address is given, writes `name` into it, and says what came of it. It has the store until its input ends. */
const [address, name, standby] = process.argv.slice(2)
try {
  const store = await openPostgresStore({
    clock: systemClock,
    address,
    ...(standby && { standby: { gateway: { host: name, version: name }, waits: () => console.log('waits') } }),
  })
  await store.putValue(name, 1)
  console.log('open')
  for await (const _ of createInterface({ input: process.stdin }));
  await store.close()
  console.log('closed')
} catch ({ code, message, hint }) {
  console.log(`${code}: ${message} ${hint ?? ''}`)
}
