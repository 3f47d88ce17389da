import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createForeword } from '../../src/foreword.ts'
import { systemClock } from '../../src/platform.ts'
import { openRecall } from '../../src/runtime/recall/open-recall.ts'
import { usageReport } from '../../src/capabilities/costs/usage-report.ts'
import { openPostgresStore } from '../../src/session/postgres/open-postgres-store.ts'
import type { GrownStore } from '../../test/session/grow-store.ts'
import { workOn } from '../../test/session/grown-work.ts'
import { median } from '../measures.ts'

const ROUNDS = 15

/** The median time of each question to a store that grew, and that of opening it and of a gateway on it, ms. */
export async function measureGrown(address: string, grown: GrownStore): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  const note = async (name: string, rounds: number, run: () => Promise<unknown>) => {
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const began = performance.now()
      await run()
      times.push(performance.now() - began)
    }
    found.set(name, median(times))
  }
  await note('open the store', 5, async () => (await openPostgresStore({ clock: systemClock, address })).close())
  await note('start a gateway, until it answers', 3, () => startGateway(address))
  const store = await openPostgresStore({ clock: systemClock, address })
  for (const { name, run } of workOn(grown, systemClock.time())) {
    await run(store)
    await note(name, ROUNDS, () => run(store))
  }
  const sources = { store, priceOf: async () => ({ input: 3, output: 15 }) }
  await note('usage of all time by day', 1, () => usageReport(sources, { by: 'day' }))
  const folder = mkdtempSync(join(tmpdir(), 'foreword-grown-'))
  const recall = openRecall({ store, path: join(folder, 'recall.sqlite'), warn: (text) => console.error(text) })
  const ask = () => recall.find({ text: 'Where is the order 7?', limit: 10 })
  await note('the index of the history is built', 1, async () => {
    while (!(await ask()).complete);
  })
  await note('search of the history, all sessions', ROUNDS, ask)
  await note('search of the history, the longest session', ROUNDS, () =>
    recall.find({ text: 'Where is the order 7?', limit: 10, sessions: [grown.longest] }),
  )
  await recall.close()
  rmSync(folder, { recursive: true, force: true })
  await store.close()
  return found
}

async function startGateway(address: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'foreword-grown-'))
  const foreword = await createForeword({
    home,
    configuration: { store: address, model: 'rehearsal' },
    environment: { OLLAMA_HOST: '127.0.0.1:1' },
  })
  const headers = { authorization: `Bearer ${foreword.token}` }
  const answer = await foreword.server.fetch(new Request('http://127.0.0.1:4141/api/sessions?limit=50', { headers }))
  if (!answer.ok) throw new Error(await answer.text())
  await foreword.close()
  rmSync(home, { recursive: true, force: true })
}
