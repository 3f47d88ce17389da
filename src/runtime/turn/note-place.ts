import type { PreparedCall, TurnSetup } from '../../agent.ts'
import type { Clock } from '../../capability.ts'
import type { Assembly, AssemblyInput } from '../../context.ts'
import type { Model } from '../../model.ts'
import { defined } from '../../platform.ts'
import type { Entry } from '../../session.ts'
import type { BudgetService, HeldCalls } from '../budgets/budget-service.ts'
import type { Sealed, SealedManifest } from '../calls/seal.ts'
import type { SessionState } from '../sessions/session-state.ts'
import type { AssemblyContext } from './assembly-context.ts'
import { addForecast, type ForecastPlace } from './call-forecast.ts'
import type { PreparedTurn } from './prepare-turn.ts'

/** The last call of a turn that has ended, as it was sent. */
export interface AnsweredCall {
  readonly input: AssemblyInput
  readonly outcome: Assembly
  readonly prepared: PreparedCall
}

export interface NotePlace {
  readonly context: AssemblyContext
  readonly state: SessionState
  readonly model: Model
  readonly turn: string
  /** Adds what the call is expected to cost. */
  forecast(sealed: Sealed): Promise<SealedManifest>
  /** Holds the call in the budgets of the turn; one that could pass a limit is not made. `used`: its prompt, tokens. */
  hold(used: number): NonNullable<TurnSetup['holdCall']>
}

/** What prepares notes behind the turns of a session. */
export interface NoteHook {
  turnBegins(session: string): void
  turnEnded(place: NotePlace, last: AnsweredCall): void
  stop(asked: { readonly finishes: boolean }): Promise<void>
}

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

/** Whose calls those of a turn are, and the limits that came with its input. */
export function turnCalls({
  context,
  state: { session },
  turn,
  entries,
}: Omit<EndedTurn, 'model'>): Pick<HeldCalls, 'owner' | 'budgets'> {
  const input = entries.find((entry) => entry.type === 'input')
  const { budgets, token, channel } = input?.type === 'input' ? (input.options ?? {}) : {}
  return { owner: { turn, session, ...defined({ agent: context.turn?.choices?.['agent'], token, channel }) }, budgets }
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
