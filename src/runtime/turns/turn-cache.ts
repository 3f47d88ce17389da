import type { Turn } from '../../context.ts'
import type { TurnFile } from '../calls/attachments.ts'

/**
 * Settled turns that were read lately, so that a long conversation is not read and parsed again at every step. A settled
 * turn never changes, so nothing here is ever wrong; what does not fit is read again.
 */
export interface TurnCache {
  get(name: string): CachedTurn | undefined
  put(name: string, turn: CachedTurn, tokens: number): void
  /** Lets go of every name that begins so. */
  forget(beginning: string): void
}

/** A turn, and the files that came with it. */
export interface CachedTurn {
  readonly turn: Turn
  readonly files: readonly TurnFile[]
}

/** Some 4 MB of text. */
const MOST_TOKENS = 1_000_000

/** Holds turns of so many tokens together, and lets go of those that were not asked for the longest. */
export function createTurnCache(mostTokens = MOST_TOKENS): TurnCache {
  const turns = new Map<string, { readonly turn: CachedTurn; readonly tokens: number }>()
  let held = 0

  return {
    get(name) {
      const found = turns.get(name)
      if (!found) return undefined
      turns.delete(name)
      turns.set(name, found)
      return found.turn
    },
    put(name, turn, tokens) {
      if (turns.has(name) || tokens > mostTokens) return
      turns.set(name, { turn, tokens })
      held += tokens
      for (const [oldest, { tokens: freed }] of turns) {
        if (held <= mostTokens) break
        turns.delete(oldest)
        held -= freed
      }
    },
    forget(beginning) {
      for (const [name, { tokens }] of turns) {
        if (!name.startsWith(beginning)) continue
        turns.delete(name)
        held -= tokens
      }
    },
  }
}
