import { setTimeout as timer } from 'node:timers/promises'

/** Waits, or until `signal` is aborted. Never rejects. */
export type Rest = (ms: number, signal: AbortSignal) => Promise<void>

export const rest: Rest = async (ms, signal) => {
  try {
    await timer(ms, undefined, { signal })
  } catch {
    // It was ended before its time, which is as good.
  }
}
