import type { Clock } from '../platform.ts'
import type { Guard, Visitor } from './guard.ts'

/** What callers hold open, such as streams. It ends when the token or the cookie that opened it is not valid any more. */
export type Visits = ReturnType<typeof createVisits>

/** Time between two checks, ms. A caller who fails two of them is out: a browser that replaced its token has its new cookie by then. */
const CHECK_MS = 500

interface Held {
  readonly visitor: Visitor
  readonly end: () => void
  failed: boolean
}

export function createVisits(clock: Clock, isValid: Guard['isValid']) {
  const held = new Set<Held>()
  let stopChecking: (() => void) | undefined

  function check(): void {
    for (const each of held) {
      if (isValid(each.visitor)) continue
      if (each.failed) {
        held.delete(each)
        each.end()
      }
      each.failed = true
    }
    if (held.size > 0) return
    stopChecking?.()
    stopChecking = undefined
  }

  return {
    /** Calls `end` once, within a second after the caller has lost access. Returns what forgets it. */
    hold(visitor: Visitor, end: () => void) {
      const each = { visitor, end, failed: false }
      held.add(each)
      stopChecking ??= clock.every(CHECK_MS, check, { idle: true })
      return () => void held.delete(each)
    },
  }
}
