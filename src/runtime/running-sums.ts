import { createUsageAdder, type Runtime, type RuntimeMetrics } from '../capability.ts'
import { defined } from '../platform.ts'
import { callSum, type CallSum, type TurnOutcome, turnOutcomeTypes } from '../session.ts'

/** Calls that are read at once. */
const PAGE = 250
/** Calls that ended and are not added up yet: more are not kept without being asked for. */
const MOST_ENDED = 1_000
/** Calls that had not ended when they were read. */
const MOST_OPEN = 10_000
/** Models with sums of their own: other programs choose names, too. */
const MOST_MODELS = 100

/**
 * Adds up what happens from now on: turns when their end is on disk, and calls when they are asked for. The calls since the last time
 * are read, so it costs the same however many there were before, and what is deleted later stays counted.
 */
export function createRunningSums({ store, priceOf }: Pick<Runtime, 'store' | 'priceOf'>) {
  const from = store.clock.time()
  const turns = Object.fromEntries(turnOutcomeTypes.map((type) => [type, 0])) as Record<TurnOutcome['type'], number>
  const adders = new Map<string | null, ReturnType<typeof createUsageAdder>>()
  const open = new Map<string, Pick<CallSum, 'time' | 'number'>>()
  let ended = new Set<string>()
  let after: Pick<CallSum, 'time' | 'number'> | undefined
  let adding: Promise<void> | undefined

  const stopTurns = store.watch((entries) => {
    // What is imported has its own times.
    for (const entry of entries) if (entry.type === 'turn-end' && entry.time >= from) turns[entry.outcome.type] += 1
  })
  const stopCalls = store.watchCalls((call) => {
    ended.add(call)
    if (ended.size >= MOST_ENDED) void addEnded().catch(() => {})
  })

  async function add(call: Omit<CallSum, 'number'>): Promise<void> {
    const price = await priceOf(call.model)
    const key = adders.has(call.model) || adders.size < MOST_MODELS ? call.model : null
    const adder = adders.get(key) ?? createUsageAdder()
    adders.set(key, adder)
    adder.add(call, price)
  }

  async function addEnded(): Promise<void> {
    const calls = ended
    ended = new Set()
    for (;;) {
      const page = await store.callSums({ from, limit: PAGE, ids: true, ...defined({ after }) })
      for (const call of page) {
        if (calls.delete(call.id!)) await add(call)
        else open.set(call.id!, call)
      }
      after = page.at(-1) ?? after
      if (page.length < PAGE) break
    }
    for (const id of calls) {
      const place = open.get(id)
      open.delete(id)
      const call = place ? await sumAt(place) : await sumOf(id)
      if (call) await add(call)
    }
    for (const id of open.keys()) {
      if (open.size <= MOST_OPEN) break
      open.delete(id)
    }
  }

  async function sumAt({ time, number }: Pick<CallSum, 'time' | 'number'>): Promise<CallSum | undefined> {
    const [found] = await store.callSums({ after: { time, number: number - 1 }, limit: 1 })
    return found?.number === number ? found : undefined
  }

  /** Of a call that was written behind a later one. `undefined`: it was made before, or is gone. */
  async function sumOf(id: string): Promise<Omit<CallSum, 'number'> | undefined> {
    const record = await store.call(id)
    return record && record.time >= from ? callSum(record) : undefined
  }

  return {
    async read(): Promise<Pick<RuntimeMetrics, 'turns' | 'calls'>> {
      // One after the other: each goes on where the one before has read to.
      adding = (adding ?? Promise.resolve()).catch(() => {}).then(addEnded)
      await adding
      return { turns: { ...turns }, calls: [...adders].map(([model, adder]) => ({ model, ...adder.sums() })) }
    },
    stop() {
      stopTurns()
      stopCalls()
    },
  }
}
