import type { Clock } from '../../capability.ts'
import type { Entry } from '../../session.ts'
import type { BudgetService } from '../budgets/budget-service.ts'
import type { Sealed } from '../ledger/seal.ts'
import type { NotePlace } from '../notes/note-place.ts'
import type { SessionState } from '../sessions/session-state.ts'
import { addForecast, type ForecastPlace } from './call-forecast.ts'
import type { PreparedTurn } from './prepare-turn.ts'
import { turnCalls } from './turn-setup.ts'

interface NotePlaceParts {
  readonly clock: Clock
  readonly budgets: BudgetService
  readonly readFingerprint: ForecastPlace['readFingerprint']
}

interface EndedTurn extends Pick<PreparedTurn, 'context' | 'model'> {
  readonly state: SessionState
  readonly turn: string
  readonly entries: readonly Entry[]
}

/** What the note after a turn is written with: its call counts in the budgets of the turn. */
export function notePlace(parts: NotePlaceParts, { context, model, state, turn, entries }: EndedTurn): NotePlace {
  const { clock, budgets, readFingerprint } = parts
  const ratio = context.calibration.ratio(model.id, context.settings.counter)
  const calls = { ...turnCalls({ context, state, turn, entries }), model, asks: false }
  const hold = (used: number) => budgets.of({ ...calls, size: () => ({ used, ratio }) })
  const forecast = (sealed: Sealed) =>
    addForecast({ context, state, model, clock, readFingerprint }, sealed, state.lastCall?.life)
  return { context, model, state, turn, forecast, hold }
}
