import type { Dropped, DroppedFile, Readers } from './announcement.ts'
import type { CutRule } from './layout.ts'
import type { Cut } from './manifest.ts'
import type { PricedTurn } from './priced-turn.ts'
import type { Section } from './section.ts'
import type { TokenCounter } from './token-counter.ts'

/** What is asked of a history: settled turns, oldest first, into so much room. */
export interface HistoryInput {
  readonly turns: readonly PricedTurn[]
  /** Tokens. */
  readonly room: number
  readonly rule: CutRule
  readonly shrinks: boolean
  /** Marks of the last cut. */
  readonly cut: Cut | undefined
  /** The turn that is being answered: a mark behind the newest settled turn carries its id. */
  readonly currentTurn: string
  /** Older turns that nobody loaded. */
  readonly earlier: Earlier | undefined
  /** Files of those. */
  readonly earlierFiles: readonly DroppedFile[]
  readonly readers: Readers
  readonly counter: TokenCounter
}

/** Turns that stand before the given history and were not even read, because they can no longer fit. */
export interface Earlier {
  readonly turns: number
  /** Their cost in full, tokens. */
  readonly tokens: number
}

export interface FittedHistory {
  /** In reading order, every candidate once. */
  readonly sections: readonly Section[]
  /** Marks for the next call; absent where nothing was cut. */
  readonly cut: Cut | undefined
}

/** Where a cut stands: turns before `from` are out, the others have the form of their level. */
export interface CutState {
  readonly from: number
  /** For each turn the index of its form in `outputForms`. */
  readonly levels: readonly number[]
}

/** What a history says of the turns before `from`. */
export function droppedBefore({ turns, earlier, earlierFiles }: HistoryInput, from: number): Dropped {
  return {
    count: from + (earlier?.turns ?? 0),
    unit: 'turn',
    files: [...earlierFiles, ...turns.slice(0, from).flatMap((turn) => turn.attachments)],
  }
}
