import { join } from 'node:path'
import { setImmediate as others } from 'node:timers/promises'
import { openRecall } from '../../src/runtime/recall/open-recall.ts'
import { openStore } from '../../src/session.ts'
import { systemClock } from '../../src/platform.ts'

/** Indexes the history of the store that its argument names, and says so with every step, until it is done or killed. */
const { store: path, data } = JSON.parse(process.argv[2]!) as { readonly store: string; readonly data: string }
const store = await openStore({ clock: systemClock, path })
const recall = openRecall({
  store,
  path: join(data, 'history.sqlite'),
  warn(text) {
    process.stdout.write(`warned ${text}\n`)
  },
})
process.stdout.write('opened\n')
for (;;) {
  const { complete } = await recall.find({ text: 'cormorant', limit: 1 })
  if (complete) break
  await others()
}
await recall.close()
await store.close()
process.stdout.write('whole\n')
