import { RuntimeError } from '../../capability.ts'

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
