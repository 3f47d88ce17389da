import { type Runtime, sumCosts, exactMoneyText } from '../../capability.ts'
import { defined } from '../../platform.ts'
import { readTurnView } from '../../runtime.ts'
import { usedTokens } from '../../session.ts'
import { type ScheduleRun, scheduleFields, scheduleRunSchema } from './schedule-record.ts'
import { z } from 'zod'
import { exactLine, numberText } from '../../context.ts'

export type ScheduleRunView = z.infer<typeof runViewSchema>

export const runViewSchema = scheduleRunSchema.extend({
  outcome: z.string().optional().describe('How its turn ended. Absent until then.'),
  waits: z.literal(true).optional().describe('Its turn waits for an approval of the owner.'),
  cost: z
    .object({
      calls: z.number(),
      prompt: z.number(),
      cached: z.number(),
      output: z.number(),
      silent: z.number().describe('Calls without reported usage.'),
      money: z.number().optional().describe('US dollars. Absent where a price or a usage is not known.'),
    })
    .optional()
    .describe('Of the calls of its turn.'),
})

export type ScheduleView = z.infer<typeof scheduleViewSchema>

export const scheduleViewSchema = z.object({
  ...scheduleFields,
  id: z.string(),
  created: z.string(),
  state: z.enum(['active', 'paused', 'finished']).describe('`finished`: it is never due again.'),
  next: z.array(z.string()).describe('The next three due times, ISO 8601, UTC.'),
  last: runViewSchema.optional().describe('The newest due time that was decided.'),
})

export async function withOutcomes(
  reader: RunReader,
  schedules: readonly ScheduleView[],
): Promise<readonly ScheduleView[]> {
  const last = await viewRuns(
    reader,
    schedules.flatMap((schedule) => schedule.last ?? []),
  )
  let next = 0
  return schedules.map((schedule) => (schedule.last ? { ...schedule, last: last[next++]! } : schedule))
}

type RunReader = Pick<Runtime, 'store' | 'models' | 'approvals'>

export async function viewRuns(
  { store, models, approvals }: RunReader,
  runs: readonly ScheduleRun[],
): Promise<readonly ScheduleRunView[]> {
  const { callCost, priceOfModel } = await import('../../context.ts')
  const prices = new Map((await models()).map(({ id, facts }) => [id, priceOfModel(facts)]))
  const waiting = new Set((await approvals()).map(({ session, turn }) => `${session} ${turn}`))
  return Promise.all(
    runs.map(async (run) => {
      if (run.result.type !== 'sent') return run
      const { session, turn } = run.result
      const view = await readTurnView(store, session, turn).catch(() => undefined)
      if (!view) return run
      const calls = await Promise.all(view.calls.map((call) => store.call(call)))
      const counted = calls.flatMap((call) => {
        if (!call) return []
        const usage = usedTokens(call.outcome)
        return [defined({ usage, paid: usage && callCost(usage, prices.get(call.model), call.time) })]
      })
      return {
        ...run,
        ...(waiting.has(`${session} ${turn}`) ? { waits: true as const } : {}),
        ...defined({ outcome: view.outcome?.type, cost: counted.length === 0 ? undefined : sumCosts(counted) }),
      }
    }),
  )
}

export function nextText({ state, next, timeZone }: Pick<ScheduleView, 'state' | 'next' | 'timeZone'>): string {
  if (state !== 'active') return state
  return next[0] === undefined ? 'now' : clockText(next[0], timeZone)
}

export function clockText(time: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return format.format(new Date(time))
}

export function runResultText({
  result,
  outcome,
  waits,
}: Pick<ScheduleRunView, 'result' | 'outcome' | 'waits'>): string {
  if (result.type === 'sent') return outcome ?? (waits ? 'waits for an approval' : 'sent')
  if (result.type === 'unchanged') return 'skipped: nothing has changed'
  if (result.type === 'failed') return `failed: ${exactLine(result.reason)}`
  return result.waits ? 'skipped: the last run waits for its budget' : 'skipped: no gateway ran'
}

/** `$0.0031`, tokens where no price is known, empty where there were no calls. */
export function runCostText({ cost }: Pick<ScheduleRunView, 'cost'>): string {
  if (!cost) return ''
  return cost.money === undefined ? `${numberText(cost.prompt + cost.output)} tokens` : exactMoneyText(cost.money)
}

export function schedulesText(schedules: readonly ScheduleView[]): string {
  if (schedules.length === 0) return 'No schedules yet. Add one with `foreword schedule add`.'
  return schedules.map((each) => `${exactLine(each.name)}: ${exactLine(each.when)}, ${dueText(each)}`).join('\n')
}

/** What `foreword start` says of schedules: how many are active, and which is due next. */
export function startText(schedules: readonly ScheduleView[]): string | undefined {
  const active = schedules
    .filter(({ state, next }) => state === 'active' && next.length > 0)
    .toSorted((one, other) => (one.next[0]! < other.next[0]! ? -1 : 1))
  const [first] = active
  if (!first) return undefined
  return `${active.length} active; next ${exactLine(first.name)} at ${nextText(first)} (${first.timeZone})`
}

export function dueText(schedule: ScheduleView): string {
  return schedule.state === 'active' ? `next ${nextText(schedule)} (${schedule.timeZone})` : schedule.state
}
