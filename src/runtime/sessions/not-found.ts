import { RuntimeError } from '../../capability.ts'

/** The error of every method that is given a turn which the session does not have. */
export function turnNotFound(session: string, turn: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `No turn of session ${session} has the id ${turn}.`,
    { session, turn },
    { hint: `GET /api/sessions/${session}/turns lists its turns.` },
  )
}

/** The error of every method that is given a session which is not there. */
export function sessionNotFound(session: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `No session has the id ${session}.`,
    { session },
    { hint: '`foreword sessions` or GET /api/sessions lists them.' },
  )
}
