import type { CommandCall, CommandOption } from '../../../capability.ts'
import { CommandFailure, findStoredSession, parseSince, usageFailure } from '../../../cli.ts'
import type { AuditFacts, AuditOptions, SessionStore } from '../../../session.ts'

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
