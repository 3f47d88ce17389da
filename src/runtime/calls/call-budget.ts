import type { Budget } from '../../context.ts'
import type { Model } from '../../model.ts'
import type { LearnedLimit } from '../../capability.ts'
import type { AssemblyContext } from './assembly-context.ts'

/** What is known where a provider refused a call as too large. All in tokens; `undefined`: it did not say. */
export interface SizeRefusal {
  /** What the server takes, prompt and answer together. */
  readonly limit: number | undefined
  /** What the request came to by the server's own count. */
  readonly sent: number | undefined
  /** What it came to by ours. */
  readonly used: number
}

type Learned = Pick<AssemblyContext, 'settings' | 'calibration' | 'limits'>

/** The budget of a call, with the margin that was configured or learned. All in tokens. */
export function budgetFor(learned: Learned, model: Model, deeper?: SizeRefusal): Budget {
  const { settings, calibration, limits } = learned
  const { window, reserve } = windowAndReserve(learned, model)
  const room = Math.max(0, window - reserve)
  const usual = settings.margin ?? calibration.margin(model.id, settings.counter, room)
  const margin = Math.max(usual, room - (limits.of(model.id)?.prompt ?? room))
  if (!deeper) return { window, reserve, margin }
  return { window, reserve, margin: Math.max(margin, room - deeperRoom(room - margin, deeper, reserve)) }
}

/** The same without the size of a prompt that was refused or read in part: where nothing fits into that, it is tried again. */
export function withoutLearnedPrompt(learned: Learned): Learned {
  return { ...learned, limits: { ...learned.limits, of: (model) => withoutPrompt(learned.limits.of(model)) } }
}

function withoutPrompt(limit: LearnedLimit | undefined): LearnedLimit | undefined {
  if (limit?.prompt === undefined) return limit
  const { prompt: _, ...rest } = limit
  return rest
}

/** What a prompt may take at most, before any margin, tokens. */
export function roomFor(learned: Learned, model: Model): number {
  const { window, reserve } = windowAndReserve(learned, model)
  return window - reserve
}

/** The answer is given a quarter of the window where nobody says more, and never more than so many tokens. */
const MOST_RESERVED = 8192

/** The window is what the model is known for, unless its server has lately said that it takes less. */
function windowAndReserve({ settings, limits }: Learned, { id, facts }: Model) {
  const window = Math.min(facts.window, limits.of(id)?.window ?? facts.window)
  const reserve = settings.reserve ?? Math.min(MOST_RESERVED, facts.maxOutput, Math.floor(window / 4))
  return { window, reserve }
}

/** How much of the room is tried next: what the server says it takes, measured in our counter's tokens, less a tenth. */
function deeperRoom(room: number, { limit, sent, used }: SizeRefusal, reserve: number): number {
  if (limit === undefined) return Math.floor(Math.min(room, used) * 0.7)
  const perToken = sent !== undefined && used > 0 ? Math.max(1, sent / used) : 1.1
  return Math.max(0, Math.floor(Math.min(room, (limit - Math.min(reserve, limit / 2)) / perToken) * 0.9))
}
