import { sleep } from '../../platform.ts'

/** Waits between tries at something that others have to fix, ms: from one second to five minutes. The last one goes on. */
export const growingDelaysMs: readonly number[] = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000]

/** The wait after so many failures, from 1 on. */
export function delayAfter(failures: number, delaysMs: readonly number[]): number {
  return delaysMs[Math.min(failures, delaysMs.length) - 1] ?? 0
}

/** Waits for work at most so many ms. Answers whether it came to its end. */
export async function endsWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController()
  const ended = work.then(
    () => true,
    () => true,
  )
  const given = sleep(milliseconds, over.signal).then(() => false)
  try {
    return await Promise.race([ended, given])
  } finally {
    over.abort()
  }
}
