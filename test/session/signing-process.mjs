import { createInterface } from 'node:readline'
import { systemClock } from '../../src/platform.ts'
import { openPostgresStore } from '../../src/session/postgres/open-postgres-store.ts'
import { startSigns } from '../../src/session/postgres/signs-of-life.ts'

/** Opens the store whose address is given, gives signs of life, and does what its input says: keeps its thread busy for ms, or writes. */
const [address] = process.argv.slice(2)
const signs = startSigns({ address }, systemClock)
const standby = { gateway: { host: 'child', version: '1', signs }, waits: () => {} }
const store = await openPostgresStore({ clock: systemClock, address, standby })
console.log('open')
for await (const line of createInterface({ input: process.stdin })) {
  const [what, value] = line.split(' ')
  if (what === 'busy') {
    for (const until = performance.now() + Number(value); performance.now() < until;);
    console.log('idle')
  } else {
    console.log(
      await store.putValue(value, 1).then(
        () => 'written',
        ({ code }) => code,
      ),
    )
  }
}
await store.close()
await signs.close()
