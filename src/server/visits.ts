import type { Guard, Visitor } from './guard.ts'

/** What callers hold open, such as streams. It ends when the token or the cookie that opened it is not valid any more. */
export interface Visits {
  /** Calls `end` once, within a second after the caller has lost access. Returns what forgets it. */
  hold(visitor: Visitor, end: () => void): () => void
}

/** Time between two checks, ms. A caller who fails two of them is out: a browser that replaced its token has its new cookie by then. */
const CHECK_MS = 500

interface Held {
  readonly visitor: Visitor
  readonly end: () => void
  failed: boolean
}

export function createVisits(isValid: Guard['isValid']): Visits {
  const held = new Set<Held>()
  let checking: NodeJS.Timeout | undefined

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
    clearInterval(checking)
    checking = undefined
  }

  return {
    hold(visitor, end) {
      const each = { visitor, end, failed: false }
      held.add(each)
      checking ??= setInterval(check, CHECK_MS).unref()
      return () => void held.delete(each)
    },
  }
}
