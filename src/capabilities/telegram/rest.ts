import { sleep } from '../../platform.ts'

/** Waits, or until `signal` is aborted. Never rejects. */
export type Rest = (ms: number, signal: AbortSignal) => Promise<void>

export const rest: Rest = sleep
