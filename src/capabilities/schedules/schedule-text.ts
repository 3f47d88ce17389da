import { moneyText } from '../../capability.ts'
import { exactLine } from '../../context.ts'
import type { ScheduleView } from './open-schedules.ts'
import type { ScheduleRunView } from './run-view.ts'

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
  return cost.money === undefined ? `${(cost.prompt + cost.output).toLocaleString('en')} tokens` : moneyText(cost.money)
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
