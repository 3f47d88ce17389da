import type { AssemblyInput } from './assembly-input.ts'
import { assemble } from './assemble.ts'
import type { NoteWords } from './conversation-note.ts'
import { type CutWorth, LEAST_CALLS, weighCut } from './cut-worth.ts'
import { HALF_FULL, NEARLY_FULL } from './fit-noted.ts'
import type { Manifest } from './manifest.ts'
import { messageTokens } from './token-counter.ts'
import type { Turn } from './turn.ts'

/** What a note that is prepared now would be about. */
export interface NotePlan {
  /** Everything up to this turn, and it. */
  readonly through: string
  /** Whether it also has to say what the notes say that are there. */
  readonly folds: boolean
  /** Of the words, tokens. */
  readonly most: number
}

/** Whether a prompt is large enough for words that are written before its provider forgets it. */
export function isHalfFull({ used, budget }: Pick<Manifest, 'used' | 'budget'>): boolean {
  return used > budget.available * HALF_FULL
}

/** What is known beside a call. */
interface NoteSituation {
  /** The provider is about to forget the prompt: it is enough that half of the room is filled. */
  readonly ending?: boolean
  /** Words that lie ready. */
  readonly words?: NoteWords | undefined
  /** What a cut is weighed by that need not be made yet, and the price of an answer, US dollars per million tokens. */
  readonly worth?: (CutWorth & { readonly output: number }) | undefined
  /** The longest answer of the model, tokens. No bound unless given. */
  readonly answer?: number | undefined
}

/**
 * Plans the words of the next note after a call whose turn is over. `undefined` where no cut is near, where it would leave out
 * nothing, where words lie ready that reach far enough, and where the model cannot answer with a note that is of use.
 */
export function planNote(
  input: AssemblyInput,
  manifest: Manifest,
  { ending = false, words, worth, answer = Infinity }: NoteSituation = {},
): NotePlan | undefined {
  const { layout, notes, history, current, counter, cut } = input
  const { used, budget, slots } = manifest
  const rule = layout.notes
  const cliff = worth && worth.calls >= LEAST_CALLS ? worth.cliff?.tokens : undefined
  const limit = Math.min(budget.available, cliff ?? Infinity)
  const isDue = ending ? isHalfFull(manifest) : used >= limit * NEARLY_FULL
  if (!notes || !rule || layout.cut.unit !== 'turn' || used <= limit * HALF_FULL) return undefined
  const standing = new Set(cut?.first)
  if (history.every(({ id }) => standing.has(id))) return undefined
  const room = Math.max(0, budget.available - (used - slots.history - slots.input))
  if (words && (ending || tokensSince(words.through, input) <= room * BEYOND_WORDS)) return undefined
  const written = notes.written.reduce((sum, { text }) => sum + counter.text(text), 0)
  const wanted = Math.min(MOST_WORDS, Math.max(LEAST_WORDS, Math.floor(room * 0.04)))
  const most = noteWordsWithin(Math.min(answer, budget.window - used - INSTRUCTION), wanted)
  if (most === undefined) return undefined
  if (!isDue && (words || !worth || !isWorthAsking(input, manifest, most, worth))) return undefined
  const folds = notes.written.length > 0 && written + most + LEAST_WORDS > rule.most * room
  return { through: current.id, folds, most }
}

/**
 * The most words of a note that an answer of `answer` tokens holds, tokens, and no more than wanted. `undefined` where so few are
 * of no use: less than 100.
 */
export function noteWordsWithin(answer: number, wanted = MOST_WORDS): number | undefined {
  const most = Math.min(wanted, Math.floor(answer * SHARE_OF_ANSWER))
  return most < LEAST_OF_USE ? undefined : most
}

/** Whether a cut would win clearly with words that are asked for now: reading the prompt once more and the answer are in its cost. */
function isWorthAsking(
  input: AssemblyInput,
  { used }: Pick<Manifest, 'used'>,
  most: number,
  { output, ...worth }: NonNullable<NoteSituation['worth']>,
): boolean {
  const words: NoteWords = { through: input.current.id, text: 'word '.repeat(most), call: '' }
  const { cacheOver: _over, ...notes } = input.notes!
  const { gain } = assemble({ ...input, notes: { ...notes, words, worth } })
  const side = (used * worth.read + INSTRUCTION * worth.write + most * output) / 1_000_000
  return gain !== undefined && weighCut(worth, gain, side) !== undefined
}

/** What asks for the note, tokens. */
const INSTRUCTION = 150

/** Share of the room that may have been said since words were written: a cut leaves about so much of it, and an index has the rest. */
const BEYOND_WORDS = 0.25

/** What was said after a turn, tokens. */
function tokensSince(through: string, { history, current, counter }: AssemblyInput): number {
  const turns: readonly Turn[] = [...history, current]
  const newer = turns.slice(turns.findIndex(({ id }) => id === through) + 1)
  const messages = newer.flatMap((turn) => turn.messages)
  return messages.reduce((sum, { message, tokens }) => sum + (tokens ?? messageTokens(counter, message)), 0)
}

/** Tokens. */
const MOST_WORDS = 900
const LEAST_WORDS = 200
const LEAST_OF_USE = 100

/** A model writes more than it is asked for, so its longest answer is not filled. */
const SHARE_OF_ANSWER = 0.8
