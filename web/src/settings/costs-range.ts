import { titled } from './usage-range.ts'

/** Which calls are counted, up to now unless it ends earlier. */
export const costRanges = [
  { id: 'today', title: 'Today' },
  { id: '7', title: '7 days' },
  { id: '30', title: '30 days' },
  { id: 'month', title: 'This month' },
  { id: 'last', title: 'Last month' },
  { id: 'days', title: 'Other days' },
] as const

export type CostRangeId = (typeof costRanges)[number]['id']

/** Days as a date field gives them, such as `2026-11-23`; empty: not limited. */
export interface ChosenDays {
  readonly since: string
  /** The last day that is counted. */
  readonly until: string
}

interface CostRange {
  /** ISO 8601. */
  readonly from?: string
  readonly to?: string
}

/** The first moment of a range and the one after its last, in the time zone of this browser. */
export function costRange(id: CostRangeId, { since, until }: ChosenDays, now: Date): CostRange {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  const at = (...date: readonly [number, number, number]): string => new Date(...date).toISOString()
  if (id === 'month') return { from: at(year, month, 1) }
  if (id === 'last') return { from: at(year, month - 1, 1), to: at(year, month, 1) }
  if (id !== 'days') return { from: at(year, month, day - (id === 'today' ? 0 : Number(id) - 1)) }
  return { ...(since === '' ? {} : { from: startOf(since, 0) }), ...(until === '' ? {} : { to: startOf(until, 1) }) }
}

function startOf(date: string, later: number): string {
  const [year, month, day] = date.split('-').map(Number)
  return new Date(year!, month! - 1, day! + later).toISOString()
}

/** What the money is divided by. A capability that is left out takes its group along. */
export const costBy = titled('day', 'model', 'layer', 'skill', 'tool', 'agent', 'channel', 'token', 'session')
