import { noteWordsWithin } from '../../context.ts'
import type { Model } from '../../model.ts'
import { answerReserve } from '../calls/call-budget.ts'
import type { RuntimeSettings } from '../settings.ts'

/** Why a model writes no notes, in a sentence: its longest answer is too short for one. `undefined` where it is not. */
export function shortAnswer(
  settings: Pick<RuntimeSettings, 'reserve'>,
  { id, facts }: Pick<Model, 'id' | 'facts'>,
): string | undefined {
  const answer = answerReserve(settings, facts)
  if (noteWordsWithin(answer) !== undefined) return undefined
  const why = settings.reserve === undefined ? 'as its longest answer and its window have it' : '`context.reserve`'
  return `${id} is asked for answers of at most ${answer} tokens (${why}), which is too short for a note: notes are an index.`
}
