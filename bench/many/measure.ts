import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { now, type startModel } from './model.ts'
import { processorTime } from './processor-time.ts'

/** What runs turns, or jobs with the same call of a model. */
export interface System {
  readonly name: string
  /** Of its processes, without the database. */
  readonly pids: readonly number[]
  readonly usesDatabase: boolean
  /** Asks for one turn. Resolves when it is over, or for a job when it was added. */
  run(word: string, caller: number): Promise<void>
  /** Resolves when nothing is left to do. */
  rest(): Promise<void>
  stop(): Promise<void>
}

export interface Measured {
  readonly name: string
  /** From the question to the arrival of its call at the model, ms. */
  readonly idle: readonly number[]
  readonly loaded: readonly number[]
  readonly perSecond: number
  /** Processor time of a turn, ms. */
  readonly gatewaysMs: number
  readonly databaseMs: number
  /** Of the machine, when it was measured. */
  readonly load: number
}

export const CALLERS = 32
const IDLE_TURNS = 80
const WARM_TURNS = 20

/** Measures a system and ends it. */
export async function measure(
  system: System,
  {
    model,
    database,
    seconds,
  }: {
    readonly model: Awaited<ReturnType<typeof startModel>>
    readonly database: { readonly pid: number }
    readonly seconds: number
  },
): Promise<Measured> {
  let words = 0
  const one = async (caller: number): Promise<number> => {
    words += 1
    const word = `m-${process.pid}-${words}-z`
    const asked = now()
    const [arrived] = await Promise.all([model.arrival(word), system.run(word, caller)])
    return arrived - asked
  }
  try {
    for (let turn = 0; turn < WARM_TURNS; turn += 1) await one(turn)
    await Promise.all(Array.from({ length: CALLERS }, (_, caller) => one(caller)))
    await system.rest()
    const idle: number[] = []
    for (let turn = 0; turn < IDLE_TURNS; turn += 1) {
      await sleep(20)
      idle.push(await one(turn))
    }
    await system.rest()
    const spent = () => system.pids.reduce((sum, pid) => sum + processorTime(pid), 0)
    const before = { gateways: spent(), database: processorTime(database.pid), time: now() }
    const loaded: number[] = []
    await Promise.all(
      Array.from({ length: CALLERS }, async (_, caller) => {
        while (now() < before.time + seconds * 1_000) loaded.push(await one(caller))
      }),
    )
    await system.rest()
    const took = now() - before.time
    return {
      name: system.name,
      idle,
      loaded,
      perSecond: loaded.length / (took / 1_000),
      gatewaysMs: (spent() - before.gateways) / loaded.length,
      databaseMs: system.usesDatabase ? (processorTime(database.pid) - before.database) / loaded.length : 0,
      load: loadavg()[0]!,
    }
  } finally {
    await system.stop()
  }
}
