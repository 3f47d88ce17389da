/** How many passages a session may have, with some numbers left free at both ends: the neighbours of the outermost. */
export const PER_SESSION = 2 ** 22
/** How far on each side of a passage its neighbours count. */
export const REACH = 2

/** The number of a session's passage. `index` begins with 0. */
export function passageNumber(session: number, index: number): number {
  return session * PER_SESSION + REACH + index
}

/** The most passages of one session. */
export const MOST_PASSAGES = PER_SESSION - 2 * REACH

/** Numbers from `first` to `last`, both included. */
export interface NumberRange {
  readonly first: number
  readonly last: number
}

export function rangeOf(session: number): NumberRange {
  return { first: session * PER_SESSION, last: (session + 1) * PER_SESSION - 1 }
}

/** The number of the session that a passage belongs to. */
export function sessionOf(passage: number): number {
  return Math.floor(passage / PER_SESSION)
}
