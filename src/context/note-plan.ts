import type { AssemblyInput } from './assembly-input.ts'
import type { Manifest } from './manifest.ts'
import { messageText } from './message.ts'
import { messageTokens } from './token-counter.ts'
import type { Turn } from './turn.ts'

/** What a note that is prepared now would be about. */
export interface NotePlan {
  /** Everything before this turn. */
  readonly before: string
  /** How its message begins. */
  readonly opening: string
  /** Whether it also has to say what the notes say that are there. */
  readonly folds: boolean
  /** Of the words, tokens. */
  readonly most: number
}

/** Share of what is available from which a note is prepared. */
const PREPARED_FROM = 0.75

/**
 * Plans the words of the next note after a call whose turn is over: what a cut would leave out if it were made now. `undefined`
 * where no cut is near, or where it would leave out nothing.
 */
export function planNote(input: AssemblyInput, { used, budget, slots }: Manifest): NotePlan | undefined {
  const { layout, notes, history, current, counter, cut } = input
  const rule = layout.notes
  if (!notes || !rule || layout.cut.unit !== 'turn' || used < budget.available * PREPARED_FROM) return undefined
  const room = Math.max(0, budget.available - (used - slots.history - slots.input))
  const standing = new Set(cut?.first)
  const turns = [...history.filter(({ id }) => !standing.has(id)), current]
  let from = turns.length - 1
  let tokens = turnTokens(turns[from]!, counter)
  while (from > 0) {
    tokens += turnTokens(turns[from - 1]!, counter)
    if (tokens > rule.tail * room) break
    from -= 1
  }
  if (from < 1) return undefined
  const written = notes.written.reduce((sum, { text }) => sum + counter.text(text), 0)
  const most = Math.min(MOST_WORDS, Math.max(LEAST_WORDS, Math.floor(room * 0.06)))
  return {
    before: turns[from]!.id,
    opening: opening(turns[from]!),
    folds: notes.written.length > 0 && written + most + LEAST_WORDS > rule.most * room,
    most,
  }
}

/** Tokens. */
const MOST_WORDS = 900
const LEAST_WORDS = 200

function turnTokens({ messages }: Turn, counter: AssemblyInput['counter']): number {
  return messages.reduce((sum, { message, tokens }) => sum + (tokens ?? messageTokens(counter, message)), 0)
}

function opening({ messages }: Turn): string {
  const text = messages.map(({ message }) => message).find(({ role }) => role === 'user')
  const words = text ? messageText(text).replaceAll(/\s+/g, ' ').trim() : ''
  return Array.from(words).slice(0, LONGEST_OPENING).join('')
}

/** Characters. */
const LONGEST_OPENING = 80
