import type { Clock } from '../../capability.ts'
import type { ValueStore } from '../../session.ts'
import { delayAfter } from '../failure.ts'
import { canWrite } from '../watched-store.ts'

/** Calls `onWritable` each time a write of its own has succeeded after a failure. */
export function createStorageRetry(
  clock: Clock,
  store: Pick<ValueStore, 'putValue'>,
  onWritable: () => void,
  delaysMs: readonly number[] = DELAYS_MS,
) {
  const stopped = new AbortController()
  let failures = 0
  let isTrying = false

  async function tryAgain(): Promise<void> {
    for (;;) {
      failures += 1
      await clock.sleep(delayAfter(failures, delaysMs), stopped.signal)
      if (stopped.signal.aborted) return
      if (await canWrite(store)) return
    }
  }

  return {
    /** A write has failed: tries one of its own after a pause, which grows with every failure. */
    failed() {
      if (isTrying || stopped.signal.aborted) return
      isTrying = true
      void tryAgain().finally(() => {
        isTrying = false
        if (!stopped.signal.aborted) onWritable()
      })
    },
    /** What was waiting for the store has come to its end: the next pause is the first one again. */
    recovered() {
      if (!isTrying) failures = 0
    },
    stop: () => stopped.abort(),
  }
}

/** From one second to one minute, ms. The last one repeats. */
const DELAYS_MS: readonly number[] = [1_000, 2_000, 5_000, 15_000, 30_000, 60_000]
