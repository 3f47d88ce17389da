import { randomBytes } from 'node:crypto'

/** Time and chance, as arguments. */
export interface Clock {
  /** ISO 8601, UTC, milliseconds. */
  time(): string
  /** Monotonic, ms. */
  monotonic(): number
  /** A name that no other thing has, such as `call_3fk9…`. */
  newId(kind: 'session' | 'turn' | 'call'): string
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export const systemClock: Clock = {
  time: () => new Date().toISOString(),
  monotonic: () => performance.now(),
  newId: (kind) => `${kind}_${Array.from(randomBytes(12), (byte) => alphabet[byte & 31]).join('')}`,
}
