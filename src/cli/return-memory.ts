import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from '../platform.ts'

/** What is read of the process, and how its garbage is collected. */
export interface ProcessMemory {
  /** Resident bytes. */
  resident(): number
  /** Processor time so far, ms. */
  worked(): number
  /** Collects garbage. The process stands still meanwhile. Free pages go to the system some seconds later. */
  collect(): void
}

/** How long a process has to do next to nothing, ms. */
const QUIET_MS = 20_000
/** Work in that time that still counts as nothing, ms. */
const LEAST_WORK_MS = 200
/** Less than this is not worth a collection, bytes. */
const LEAST_BYTES = 16 * 1024 ** 2

/**
 * Returns memory to the system when the process is quiet and has grown since it last did so: in Node, V8 keeps garbage until
 * something allocates again. Returns a function that stops it.
 */
export function returnMemoryWhenQuiet(clock: Clock, memory: ProcessMemory = thisProcess): () => void {
  let least = memory.resident()
  let before = memory.worked()
  let hasCollected = false
  return clock.every(
    QUIET_MS,
    () => {
      const worked = memory.worked() - before
      before += worked
      if (hasCollected) least = memory.resident()
      hasCollected = false
      if (worked > LEAST_WORK_MS || memory.resident() < least + LEAST_BYTES) return
      memory.collect()
      hasCollected = true
    },
    { idle: true },
  )
}

const thisProcess: ProcessMemory = {
  resident: () => process.memoryUsage.rss(),
  worked() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
  collect() {
    setFlagsFromString('--expose-gc')
    // Only a new context has the function.
    const collect = runInNewContext('gc') as () => void
    setFlagsFromString('--no-expose-gc')
    collect()
  },
}
