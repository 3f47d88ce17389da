import { RuntimeError } from '../capability.ts'

export function noSuchSession(session: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `There is no session ${session}. \`foreword sessions\` or GET /api/sessions lists them.`,
    {
      session,
    },
  )
}

export function noSuchTurn(session: string, turn: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `Session ${session} has no turn ${turn}. GET /api/sessions/${session}/turns lists its turns.`,
    { session, turn },
  )
}

export function noSuchCall(call: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `There is no call ${call}. \`foreword calls SESSION\` or GET /api/sessions/SESSION/calls lists the calls of a session.`,
    { call },
  )
}
