import type { DroppedFile, Readers } from './announcement.ts'
import type { CutRule } from './layout.ts'
import type { Cut } from './cut.ts'
import type { PricedTurn } from './priced-turn.ts'
import type { TokenCounter } from './token-counter.ts'

/** What is asked of a conversation: settled turns and the turn that is being answered, into so much room. */
export interface ConversationInput {
  /** Settled turns, oldest first. */
  readonly turns: readonly PricedTurn[]
  readonly current: PricedTurn
  /** What the whole request may cost, tokens. */
  readonly available: number
  /** Tokens of tools and layers; layers after the history count in full, even where they had to give way. */
  readonly beside: number
  /** What is really left for the conversation, tokens. Below zero where tools and layers alone do not fit. */
  readonly room: number
  readonly rule: CutRule
  /** Whether tool results of settled turns step down before turns are left out. */
  readonly shrinks: boolean
  /** Marks of the last cut. */
  readonly cut: Cut | undefined
  /** Older turns that nobody loaded. */
  readonly earlier: EarlierTurns | undefined
  readonly earlierFiles: readonly DroppedFile[]
  readonly undone: readonly UndoneTurn[]
  readonly readers: Readers
  readonly counter: TokenCounter
}

/** A settled turn that a person took back: it is named in the account and read by nobody. */
export interface UndoneTurn {
  readonly turn: string
  /** Its cost in full, tokens. */
  readonly tokens: number
}

/** Turns before the given history that were not loaded, because they can no longer fit. */
export interface EarlierTurns {
  readonly turns: number
  /** Their cost in full, tokens. */
  readonly tokens: number
}
