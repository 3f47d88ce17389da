import { randomFillSync } from 'node:crypto'
import type { Clock } from '../capability.ts'
import type { TurnClock } from '../agent.ts'
import { sleep } from '../platform.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** The same for the loop of a turn. */
export function turnClock(clock: Clock): TurnClock {
  return {
    now: () => clock.monotonic(),
    sleep: (milliseconds, signal) => clock.sleep?.(milliseconds, signal) ?? sleep(milliseconds, signal),
  }
}

/** The clock and the chance of this machine. */
export const systemClock: Clock = {
  time: () => new Date().toISOString(),
  monotonic: () => performance.now(),
  newId: (kind) => `${kind}_${randomLetters(12)}`,
}

const pool = new Uint8Array(4096)
let used = pool.length

/** 5 bits of chance a letter. The bytes are drawn many at a time: a draw costs more than what is done with it. */
function randomLetters(count: number): string {
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  let letters = ''
  for (const byte of pool.subarray(used, used + count)) letters += alphabet[byte & 31]
  used += count
  return letters
}
