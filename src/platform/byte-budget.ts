import type { Clock } from './clock.ts'

/** Room of one task for what it holds in memory. */
interface ByteLease {
  /** Whether there is room for so many bytes more, within `waitMs`. */
  take(bytes: number): Promise<boolean>
  /** Gives all of it back, once. */
  end(): void
}

interface Waiting {
  readonly owner: string
  readonly bytes: number
  /** What its task has already. */
  readonly own: () => number
  readonly begin: () => void
}

/**
 * Bounds the bytes that several tasks hold in memory at the same time. One owner has at most half of them while it holds any,
 * so that another finds room; the owner that holds the least is next. What is larger than all of it has its turn alone. Where all
 * that hold something wait for more, one of them goes on beyond the bound, since none would ever end.
 */
export function byteBudget(most: number, waitMs: number, clock: Pick<Clock, 'timer'>) {
  const held = new Map<string, number>()
  const waiting = new Set<Waiting>()
  let total = 0

  const heldBy = (owner: string) => held.get(owner) ?? 0

  /** What is held by tasks that do not wait, in all and by one owner, holds up those that do. */
  function fitting(): readonly Waiting[] {
    const idle = new Map<string, number>()
    for (const { owner, own } of waiting) idle.set(owner, (idle.get(owner) ?? 0) + own())
    const allIdle = [...idle.values()].reduce((sum, bytes) => sum + bytes, 0)
    return [...waiting].filter(
      ({ owner, bytes }) =>
        total === allIdle ||
        (total + bytes <= most && (heldBy(owner) === idle.get(owner) || heldBy(owner) + bytes <= most / 2)),
    )
  }

  function add(owner: string, bytes: number): void {
    total += bytes
    const now = heldBy(owner) + bytes
    if (now === 0) held.delete(owner)
    else held.set(owner, now)
  }

  /** Begins what waits and fits. */
  function next(): void {
    for (;;) {
      const able = fitting()
      if (able.length === 0) return
      const first = able.reduce((least, one) => (heldBy(one.owner) < heldBy(least.owner) ? one : least))
      waiting.delete(first)
      add(first.owner, first.bytes)
      first.begin()
    }
  }

  return {
    /** Bytes that are held now. */
    held: () => total,
    lease(owner: string): ByteLease {
      let own = 0
      let ended = false
      return {
        take(bytes) {
          return new Promise((resolve) => {
            let stop: (() => void) | undefined
            const one: Waiting = {
              owner,
              bytes,
              own: () => own,
              begin() {
                stop?.()
                own += bytes
                if (ended) giveBack()
                resolve(!ended)
              },
            }
            waiting.add(one)
            next()
            if (!waiting.has(one)) return
            stop = clock.timer(waitMs, () => {
              waiting.delete(one)
              resolve(false)
            })
          })
        },
        end() {
          ended = true
          giveBack()
          next()
        },
      }

      function giveBack(): void {
        add(owner, -own)
        own = 0
      }
    },
  }
}

/** What a body that does not say how long it is holds at first, bytes; then twice what it has. */
const FIRST_PART = 256 * 1024

/** How much room a body needs that has so many bytes so far and does not say how long it is. */
export function growingRoom(bytes: number): number {
  return Math.max(FIRST_PART, 2 ** Math.ceil(Math.log2(bytes + 1)))
}
