import { Worker } from 'node:worker_threads'
import { type Clock, settlesWithin } from '../../platform.ts'
import type { LifeSigns } from '../gateways.ts'
import { connectionOptions, type PostgresAddress } from './client.ts'
import { ENDS, MIXED, NONE, UNANSWERED, STATE, type SignsTask } from './signs-task.ts'

/** After which time a thread that ended is started again, ms. */
const RESTART_MS = 1_000
/** How long its connection may need to end, ms. */
const END_MS = 500

/**
 * Has a thread give signs of life of this process over a connection of its own until it is closed. They go on while the thread of the
 * turns is busy, and end where the process is frozen or cut off.
 */
export function startSigns(at: PostgresAddress, clock: Clock): LifeSigns {
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const task: SignsTask = { connection: connectionOptions(at), name: `foreword ${clock.newId('signs')}`, shared }
  let ended = start()

  function start(): Promise<void> {
    const file = new URL('./signs-thread.ts', import.meta.url)
    const thread = new Worker(import.meta.url.endsWith('.ts') ? file : new URL(file.href.replace(/\.ts$/, '.js')), {
      workerData: task,
    })
    thread.unref()
    thread.on('error', () => {})
    return new Promise((resolve) => {
      thread.once('exit', () => {
        resolve()
        if (shared[ENDS] === 1 || shared[STATE] === MIXED) return
        Atomics.store(shared, STATE, NONE)
        const again = () => {
          ended = start()
        }
        clock.timer(RESTART_MS, again, { idle: true })
      })
    })
  }

  return {
    name: () => (Atomics.load(shared, STATE) === MIXED ? undefined : task.name),
    isSilent: () => Atomics.load(shared, STATE) === UNANSWERED,
    async close() {
      Atomics.store(shared, ENDS, 1)
      Atomics.notify(shared, ENDS)
      await settlesWithin(clock, ended, END_MS)
    },
  }
}
