import { randomFillSync } from 'node:crypto'
import { type Clock, clockOf } from './clock.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** The clock and the chance of this machine. */
export const systemClock: Clock = clockOf({
  now: () => Date.now(),
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
  timer(milliseconds, work, { idle = false } = {}) {
    const timer = setTimeout(work, Math.min(milliseconds, LONGEST_MS))
    if (idle) timer.unref()
    return () => clearTimeout(timer)
  },
  soon: (work) => void setImmediate(work),
})

/** The IANA name of the time zone of this machine. The first format of `Intl` in a process takes 30 ms: Node 26 knows the name without one. */
export function localTimeZone(): string {
  const { Temporal } = globalThis as { readonly Temporal?: { readonly Now: { timeZoneId(): string } } }
  return Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The longest time that a timer accepts, ms. */
const LONGEST_MS = 2 ** 31 - 1
/** Of an id, with 5 bits of chance a letter. */
const LETTERS = 12
/** The bytes are drawn many at a time: a draw costs more than what is done with it. */
const pool = new Uint8Array(4096)
let used = pool.length
