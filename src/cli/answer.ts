import type { GatewayConnection } from '../capability.ts'
import { CommandFailure } from './failure.ts'

/** Sends a request and returns the JSON of the response. An error response is thrown as a `CommandFailure` with its code. */
export async function requestJson<T>(
  connection: Pick<GatewayConnection, 'fetch'>,
  path: string,
  init: RequestInput = {},
): Promise<T> {
  const response = await sendRequest(connection, path, init)
  return (await response.json()) as T
}

export async function sendRequest(
  connection: Pick<GatewayConnection, 'fetch'>,
  path: string,
  init: RequestInput = {},
): Promise<Response> {
  const { body, headers, ...rest } = init
  const response = await connection.fetch(path, {
    ...rest,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  })
  if (response.ok) return response
  throw await readFailure(response)
}

export interface RequestInput {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export function apiPath(...pieces: readonly string[]): string {
  return pieces.map((piece, index) => (index % 2 === 0 ? piece : encodeURIComponent(piece))).join('')
}

export async function readFailure(response: Response): Promise<CommandFailure> {
  const text = await response.text()
  const { code, message, hint } = errorIn(text)
  const sentence = message ?? `The gateway answered with status ${response.status}.`
  return new CommandFailure(code ?? `http-${response.status}`, sentence, { hint })
}

function errorIn(text: string): { code?: string; message?: string; hint?: string } {
  try {
    const body: unknown = JSON.parse(text)
    const error = isRecord(body) && isRecord(body.error) ? body.error : body
    if (!isRecord(error)) return {}
    return {
      ...(typeof error.code === 'string' ? { code: error.code } : {}),
      ...(typeof error.message === 'string' ? { message: error.message } : {}),
      ...(typeof error.hint === 'string' ? { hint: error.hint } : {}),
    }
  } catch {
    return {}
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

export function withToken(init: RequestInit, token: string | undefined): RequestInit {
  if (token === undefined) return init
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}
