import { randomFillSync } from 'node:crypto'
import type { Clock } from '../capability.ts'
import type { TurnClock } from '../agent.ts'
import { type Activity, sleep } from '../platform.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** The same for the loop of a turn. What sleeps in a session has nothing to do meanwhile. */
export function turnClock(clock: Clock, activity?: Activity, session?: string): TurnClock {
  return {
    now: () => clock.monotonic(),
    sleep(milliseconds, signal) {
      const sleeping = clock.sleep?.(milliseconds, signal) ?? sleep(milliseconds, signal)
      return activity?.rest(session, sleeping) ?? sleeping
    },
  }
}

/** The clock and the chance of this machine. */
export const systemClock: Clock = {
  time: () => new Date().toISOString(),
  monotonic: () => performance.now(),
  newId(kind) {
    if (used + LETTERS > pool.length) {
      randomFillSync(pool)
      used = 0
    }
    let id = `${kind}_`
    for (const byte of pool.subarray(used, used + LETTERS)) id += alphabet[byte & 31]
    used += LETTERS
    return id
  },
}

/** Of an id, with 5 bits of chance a letter. */
const LETTERS = 12
/** The bytes are drawn many at a time: a draw costs more than what is done with it. */
const pool = new Uint8Array(4096)
let used = pool.length
