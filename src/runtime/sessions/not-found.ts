import { RuntimeError } from '../../capability.ts'
import type { LogStore } from '../../session.ts'

/** The error of every method that is given a turn which the session does not have. */
export function turnNotFound(session: string, turn: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `No turn of session ${session} has the id ${turn}.`,
    { session, turn },
    { hint: `GET /api/sessions/${session}/turns lists its turns.` },
  )
}

export function sessionNotFound(session: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `No session has the id ${session}.`,
    { session },
    { hint: '`foreword sessions` or GET /api/sessions lists them.' },
  )
}

/** Refuses a session whose calls another program makes: nothing may be said in it from here. */
export function requireOwnSession({
  session,
  program,
}: {
  readonly session: string
  readonly program?: string | undefined
}): void {
  if (program === undefined) return
  throw new RuntimeError(
    'invalid-input',
    `This session belongs to ${program}: its calls are recorded here, and only that program continues it.`,
    { session, program },
    {
      hint: `Continue it in ${program}, or begin a session of your own. \`foreword calls ${session}\` shows its calls.`,
    },
  )
}

/** The program that a session belongs to; `undefined` for one of this gateway. */
export async function programOf(store: Pick<LogStore, 'entries'>, session: string): Promise<string | undefined> {
  const [start] = await store.entries(session, { limit: 1 })
  return start?.type === 'session-start' ? start.foreign : undefined
}
