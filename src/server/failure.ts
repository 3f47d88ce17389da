import type { Failure } from '../capability.ts'
import { type ErrorCode, errorCodes, type ErrorMeaning, ForewordError, type KnownSecrets } from '../platform.ts'
import { runtimeFailure, sessionNotFound, turnNotFound } from '../runtime.ts'
import type { SessionRow, SessionStore, TurnRow } from '../session.ts'

interface HttpFailureOptions {
  readonly hint?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that an endpoint refuses. The status of the response follows from the code; see `errorCodes`. */
export class HttpFailure extends ForewordError {
  override readonly name = 'HttpFailure'
  readonly failure: Failure

  constructor(
    code: HttpErrorCode,
    message: string,
    facts: Readonly<Record<string, unknown>> = {},
    { hint, headers = {} }: HttpFailureOptions = {},
  ) {
    super(code, message, facts, { hint })
    this.failure = { status: httpStatus(code), code, message, facts, hint, headers }
  }
}

/** The failure that a caller is shown for an error; an unexpected error becomes `internal`, without its message. */
export function toFailure(thrown: unknown): Failure {
  const error = runtimeFailure(thrown)
  if (error instanceof HttpFailure) return error.failure
  if (error instanceof ForewordError && error.expose) {
    const { code, message, facts, hint } = error
    return { status: httpStatus(code), code, message, facts, hint, headers: retryAfter(code, facts['retryAfterMs']) }
  }
  return { status: 500, code: 'internal', message: 'Foreword failed; its log has the details.', facts: {}, headers: {} }
}

/** The failure without secrets, in its facts, too. */
export function redactFailure(failure: Failure, secrets: KnownSecrets | undefined): Failure {
  if (!secrets) return failure
  const { message, hint, facts } = failure
  const plain = JSON.stringify(facts)
  const clean = secrets.redact(plain)
  return {
    ...failure,
    message: secrets.redact(message),
    ...(hint !== undefined && { hint: secrets.redact(hint) }),
    ...(clean !== plain && { facts: JSON.parse(clean) as Failure['facts'] }),
  }
}

/** The header `Retry-After`: seconds, rounded up. Rate limits and a gateway that is stopping always have one. */
function retryAfter(code: string, retryAfterMs: unknown): Readonly<Record<string, string>> {
  if (typeof retryAfterMs === 'number') return { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }
  if (code === 'rate-limit') return { 'retry-after': '10' }
  if (code === 'quota') return { 'retry-after': '3600' }
  if (code === 'closing' || code === 'standby') return { 'retry-after': '5' }
  return {}
}

/** The session of this id. Rejects where it does not exist. */
export async function requireSession(store: Pick<SessionStore, 'session'>, session: string): Promise<SessionRow> {
  const row = await store.session(session)
  if (row === undefined) throw sessionNotFound(session)
  return row
}

/** The turn of a session. Rejects where the session does not have it. */
export async function requireTurn(store: Pick<SessionStore, 'turn'>, session: string, turn: string): Promise<TurnRow> {
  const row = await store.turn(session, turn)
  if (row !== undefined) return row
  throw turnNotFound(session, turn)
}

export type HttpErrorCode = {
  [Code in ErrorCode]: (typeof errorCodes)[Code] extends { readonly status: number } ? Code : never
}[ErrorCode]

/** The HTTP status of a code; 500 for a code of another version, which a log may contain. */
export function httpStatus(code: string): number {
  const codes: Readonly<Record<string, ErrorMeaning>> = errorCodes
  return (Object.hasOwn(codes, code) ? codes[code]?.status : undefined) ?? 500
}
