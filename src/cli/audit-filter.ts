import type { CommandCall, CommandOption } from '../capability.ts'
import type { AuditFacts, AuditOptions, SessionStore } from '../session.ts'
import { CommandFailure, usageFailure } from './failure.ts'
import { findStoredSession } from './find-session.ts'

const decisions = ['allowed', 'refused', 'asked', 'approved', 'denied'] satisfies AuditFacts['decision'][]

export const filterOptions = {
  session: { value: 'ID', summary: 'only records of this session' },
  turn: { value: 'ID', summary: 'only records of this turn' },
  tool: { value: 'NAME', summary: 'only records of this tool' },
  decision: { value: 'WORD', summary: `only ${decisions.slice(0, -1).join(', ')} or ${decisions.at(-1)}` },
  since: {
    value: 'WHEN',
    summary: 'only records since a time, such as 2026-01-31T12:00Z, or a span, such as 30m, 2h, 3d',
  },
  last: { value: 'N', summary: 'only the newest N records (default for list: 50)' },
} satisfies Readonly<Record<string, CommandOption>>

export function readFilter(call: CommandCall): AuditOptions {
  const given = (name: 'session' | 'turn' | 'tool') => {
    const text = call.text(name)
    return text === undefined ? {} : { [name]: text }
  }
  const since = call.text('since')
  return {
    ...given('session'),
    ...given('turn'),
    ...given('tool'),
    ...decisionOf(call.text('decision')),
    ...(since === undefined ? {} : { since: parseSince(since, Date.now()) }),
    ...lastOf(call.text('last')),
  }
}

/** Resolves the session to its full id. The audit outlives sessions, so an unknown word stays as it is. */
export async function resolveSession(store: SessionStore, options: AuditOptions): Promise<AuditOptions> {
  if (options.session === undefined) return options
  try {
    return { ...options, session: (await findStoredSession(store, options.session)).id }
  } catch (error) {
    if (error instanceof CommandFailure && error.code === 'ambiguous') throw error
    return options
  }
}

function decisionOf(text: string | undefined): Pick<AuditOptions, 'decision'> {
  if (text === undefined) return {}
  const decision = decisions.find((name) => name === text)
  if (decision === undefined) throw usageFailure(`--decision must be one of ${decisions.join(', ')}.`)
  return { decision }
}

function lastOf(text: string | undefined): Pick<AuditOptions, 'last'> {
  if (text === undefined) return {}
  const last = Number(text)
  if (!Number.isSafeInteger(last) || last < 1) throw usageFailure('--last must be a whole number above 0.')
  return { last }
}

/** A time, or a span back from `now` (ms), as ISO 8601 in UTC. */
export function parseSince(text: string, now: number): string {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text) ?? []
  const time = count === undefined ? isoTime(text) : now - Number(count) * spans[unit!]!
  const date = new Date(time)
  if (!Number.isNaN(date.getTime()) && date.getUTCFullYear() >= 0) return date.toISOString()
  throw usageFailure(
    '--since must be a time or a span.',
    'Write a time such as 2026-01-31 or 2026-01-31T12:00Z, or a span such as 30m, 2h, 3d, 1w.',
  )
}

const SECOND = 1_000

const spans: Readonly<Record<string, number>> = {
  s: SECOND,
  m: 60 * SECOND,
  h: 3_600 * SECOND,
  d: 86_400 * SECOND,
  w: 7 * 86_400 * SECOND,
}

/** Stricter than `Date`, which accepts much that is no time. A date means the beginning of the local day, as lists show times. */
function isoTime(text: string): number {
  const shape = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/
  if (!shape.test(text)) return Number.NaN
  return Date.parse(text.includes('T') ? text : `${text}T00:00`)
}
