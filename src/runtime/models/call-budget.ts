import { type Budget, ContextOverflowError, layoutOf } from '../../context.ts'
import type { Model, ModelFacts } from '../../model.ts'
import type { RuntimeSettings } from '../settings.ts'
import type { Learned } from './open-learned.ts'

/** What is known of a call that its provider refused as too large. All in tokens; `undefined`: the provider did not report it. */
export interface SizeRefusal {
  /** The server's limit, prompt and answer together. */
  readonly limit: number | undefined
  /** Size of the request by the server's own count. */
  readonly sent: number | undefined
  /** Size of the request by our count. */
  readonly used: number
}

/** What the room of a call is measured by. */
export interface BudgetContext extends Pick<Learned, 'calibration' | 'limits'> {
  readonly settings: RuntimeSettings
}

/** The budget of a call, with the margin that was configured or learned, and with this room for its answer. All in tokens. */
export function budgetFor(learned: BudgetContext, model: Model, deeper?: SizeRefusal, answer = answerReserve): Budget {
  const { settings, calibration, limits } = learned
  const { window, reserve } = windowAndReserve(learned, model, answer)
  const room = Math.max(0, window - reserve)
  const usual = settings.margin ?? calibration.margin(model.id, settings.counter, room)
  const margin = Math.max(usual, room - (limits.of(model.id)?.prompt ?? room))
  if (!deeper) return { window, reserve, margin }
  return { window, reserve, margin: Math.max(margin, room - deeperRoom(room - margin, deeper, reserve)) }
}

/** The most that a prompt may use, before any margin, tokens. */
export function roomFor(learned: BudgetContext, model: Model): number {
  const { window, reserve } = windowAndReserve(learned, model, answerReserve)
  return window - reserve
}

/** The window is what the model is known for, unless its server has lately reported a smaller one. */
function windowAndReserve({ settings, limits }: BudgetContext, { id, facts }: Model, answer: typeof answerReserve) {
  const window = Math.min(facts.window, limits.of(id)?.window ?? facts.window)
  return { window, reserve: answer(settings, { ...facts, window }) }
}

type AnswerFacts = Pick<ModelFacts, 'window' | 'maxOutput'>

/**
 * What a call of a session keeps for its answer, which is also the longest that is asked for, tokens: unless configured,
 * the longest that the model can write where that leaves half of the window, or where the layout always keeps it.
 */
function answerReserve(settings: Pick<RuntimeSettings, 'reserve' | 'layout'>, facts: AnswerFacts): number {
  const { reserve: longest = Math.min(facts.maxOutput, facts.window) } = settings
  const isKept = longest <= facts.window / 2 || layoutOf(settings.layout).reservesLongestAnswer
  return isKept ? longest : leastAnswer(settings, facts)
}

/** Unless configured, the share of an answer that nobody asked a size for is a quarter of the window, and at most this many tokens. */
const MOST_UNASKED = 8192

/** What a call of another program, or one without a session, keeps for its answer at least, tokens. */
export function leastAnswer({ reserve }: Pick<RuntimeSettings, 'reserve'>, { window, maxOutput }: AnswerFacts): number {
  return reserve ?? Math.min(MOST_UNASKED, maxOutput, Math.floor(window / 4))
}

/** How much of the room is tried next: the server's limit, measured in our counter's tokens, less a tenth. */
function deeperRoom(room: number, { limit, sent, used }: SizeRefusal, reserve: number): number {
  if (limit === undefined) return Math.floor(Math.min(room, used) * 0.7)
  const perToken = sent !== undefined && used > 0 ? Math.max(1, sent / used) : 1.1
  return Math.max(0, Math.floor(Math.min(room, (limit - Math.min(reserve, limit / 2)) / perToken) * 0.9))
}

/** Accounts for a call within its budget. A learned limit in which nothing fits is ignored: what is configured is tried. */
export async function accountWithinLearned<Input extends { readonly budget: Budget }, Outcome>(
  context: BudgetContext,
  model: Model,
  input: Input,
  account: (input: Input) => Promise<Outcome | ContextOverflowError>,
  deeper?: SizeRefusal,
): Promise<{ readonly input: Input; readonly outcome: Outcome | ContextOverflowError }> {
  const outcome = await account(input)
  const isLearned = !deeper && context.limits.of(model.id) !== undefined
  if (!isLearned || !(outcome instanceof ContextOverflowError)) return { input, outcome }
  const wider = {
    ...input,
    budget: {
      ...budgetFor({ ...context, limits: { ...context.limits, of: () => undefined } }, model),
      reserve: input.budget.reserve,
    },
  }
  return { input: wider, outcome: await account(wider) }
}
