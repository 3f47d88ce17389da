import type { AssemblyInput } from './assembly-input.ts'
import type { Manifest } from './manifest.ts'

/** What a note that is prepared now would be about. */
export interface NotePlan {
  /** Everything up to this turn, and it. */
  readonly through: string
  /** Whether it also has to say what the notes say that are there. */
  readonly folds: boolean
  /** Of the words, tokens. */
  readonly most: number
}

/** Share of what is available from which a note is prepared. */
const PREPARED_FROM = 0.8

/** Plans the words of the next note after a call whose turn is over. `undefined` where no cut is near, or where it would leave out nothing. */
export function planNote(input: AssemblyInput, { used, budget, slots }: Manifest): NotePlan | undefined {
  const { layout, notes, history, current, counter, cut } = input
  const rule = layout.notes
  if (!notes || !rule || layout.cut.unit !== 'turn' || used < budget.available * PREPARED_FROM) return undefined
  const standing = new Set(cut?.first)
  if (history.every(({ id }) => standing.has(id))) return undefined
  const room = Math.max(0, budget.available - (used - slots.history - slots.input))
  const written = notes.written.reduce((sum, { text }) => sum + counter.text(text), 0)
  const most = Math.min(MOST_WORDS, Math.max(LEAST_WORDS, Math.floor(room * 0.04)))
  const folds = notes.written.length > 0 && written + most + LEAST_WORDS > rule.most * room
  return { through: current.id, folds, most }
}

/** Tokens. */
const MOST_WORDS = 900
const LEAST_WORDS = 200
