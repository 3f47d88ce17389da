import type { TurnSetup } from '../../agent.ts'
import { defined } from '../../platform.ts'
import type { HeldCalls } from '../budgets/budget-service.ts'
import type { AnsweredCall, LiveTurn } from './record-call.ts'

/** A turn that is over, as far as a note behind it depends on it. */
export type EndedTurn = Pick<
  LiveTurn,
  'context' | 'model' | 'state' | 'id' | 'entries' | 'clock' | 'budgets' | 'readFingerprint'
>

/** What prepares notes behind the turns of a session. */
export interface NoteHook {
  turnBegins(session: string): void
  turnEnded(turn: EndedTurn, last: AnsweredCall): void
  stop(asked: { readonly finishes: boolean }): Promise<void>
}

/** Whose calls those of a turn are, and the limits that came with its input. */
export function turnCalls({
  context,
  state: { session },
  id,
  entries,
}: Pick<EndedTurn, 'context' | 'state' | 'id' | 'entries'>): Pick<HeldCalls, 'owner' | 'budgets'> {
  const input = entries.find((entry) => entry.type === 'input')
  const { budgets, token, channel } = input?.type === 'input' ? (input.options ?? {}) : {}
  const owner = { turn: id, session, ...defined({ agent: context.turn?.choices?.['agent'], token, channel }) }
  return { owner, budgets }
}

/** Holds the call of a note in the budgets of its turn; one that could pass a limit is not made. `used`: its prompt, tokens. */
export function holdNote(turn: EndedTurn, used: number): NonNullable<TurnSetup['holdCall']> {
  const { context, model, budgets } = turn
  const ratio = context.calibration.ratio(model.id, context.settings.counter)
  return budgets.of({ ...turnCalls(turn), model, asks: false, size: () => ({ used, ratio }) })
}
