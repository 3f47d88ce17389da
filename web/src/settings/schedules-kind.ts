import { dollars, limit, timeText } from '../parts/numbers.ts'
import { t } from '../language/language.ts'

export const SCHEDULES = '/api/schedules'

/** The most that one run may use. */
export type ScheduleBudget = { readonly usd: number } | { readonly tokens: number }

/** A due time that has passed, and what became of it, as `GET /api/schedules/ID/runs` lists it. */
export interface ScheduleRun {
  readonly due: string
  readonly by: 'time' | 'person'
  readonly result:
    | { readonly type: 'sent'; readonly session: string; readonly turn: string }
    | { readonly type: 'unchanged' }
    | { readonly type: 'missed'; readonly waits?: true }
    | { readonly type: 'failed'; readonly reason: string }
  /** How its turn ended. Absent until then. */
  readonly outcome?: string
  /** Its turn waits for an approval. */
  readonly waits?: true
  readonly cost?: { readonly prompt: number; readonly output: number; readonly money?: number }
}

/** A schedule, as `GET /api/schedules` lists it. */
export interface ListedSchedule {
  readonly id: string
  readonly name: string
  readonly when: string
  readonly timeZone: string
  readonly text: string
  readonly session?: string
  readonly agent?: string
  readonly budget: ScheduleBudget
  readonly missed: 'skip' | 'once' | 'all'
  readonly ifChanged?: string
  readonly state: 'active' | 'paused' | 'finished'
  readonly next: readonly string[]
  readonly last?: ScheduleRun
}

export const missedRules = [
  { value: 'once', title: t`Make up the newest` },
  { value: 'skip', title: t`Skip them` },
  { value: 'all', title: t`Make up all, at most 100` },
] as const

/** `$0.50` or `20,000 tokens`. */
export function budgetTitle(budget: ScheduleBudget): string {
  if ('tokens' in budget) return t`${budget.tokens} tokens`
  return limit(budget.usd)
}

export function dueTitle(time: string, timeZone: string): string {
  return timeText(time, { timeZone, dateStyle: 'medium', timeStyle: 'short' })
}

export function runTitle({ result, outcome, waits }: Pick<ScheduleRun, 'result' | 'outcome' | 'waits'>): string {
  if (result.type === 'sent') return outcome ?? (waits ? t`waits for an approval` : t`sent`)
  if (result.type === 'unchanged') return t`skipped: nothing has changed`
  if (result.type === 'failed') return t`failed: ${result.reason}`
  return result.waits ? t`skipped: the last run waits for its budget` : t`skipped: no gateway ran`
}

/** Dollars, or tokens where no price is known; nothing where there were no calls. */
export function runCost({ cost }: Pick<ScheduleRun, 'cost'>): string | undefined {
  if (!cost) return undefined
  return cost.money === undefined ? t`${cost.prompt + cost.output} tokens` : dollars(cost.money)
}
