import { turnCalls } from './turn-setup.ts'
import type { TurnSetup } from '../../agent.ts'
import type { SentAssembly, LiveTurn } from './record-call.ts'

/** A turn that is over, as far as a note behind it depends on it. */
export type EndedTurn = Pick<
  LiveTurn,
  'context' | 'model' | 'state' | 'id' | 'entries' | 'clock' | 'budgets' | 'readFingerprint'
>

/** What prepares notes behind the turns of a session. */
export interface NoteHook {
  turnBegins(session: string): void
  turnEnded(turn: EndedTurn, last: SentAssembly): void
  stop(asked: { readonly finishes: boolean }): Promise<void>
}

/** Holds the call of a note in the budgets of its turn; one that could pass a limit is not made. `used`: its prompt, tokens. */
export function holdNote(turn: EndedTurn, used: number): NonNullable<TurnSetup['holdCall']> {
  const { context, model, budgets } = turn
  const ratio = context.calibration.ratio(model.id, context.settings.counter)
  return budgets.of({ ...turnCalls(turn), model, asks: false, size: () => ({ used, ratio }) })
}
