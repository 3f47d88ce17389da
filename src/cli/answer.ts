import type { Connection } from '../capability.ts'
import { CommandFailure } from './failure.ts'

/** Asks over the connection and answers the JSON that comes back. A refusal becomes a failure with its code. */
export async function ask<T>(connection: Connection, path: string, init: AskInit = {}): Promise<T> {
  const response = await answer(connection, path, init)
  return (await response.json()) as T
}

/** The same for an answer that is not JSON, such as a stream. */
export async function answer(connection: Connection, path: string, init: AskInit = {}): Promise<Response> {
  const { body, headers, ...rest } = init
  const response = await connection.fetch(path, {
    ...rest,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  })
  if (response.ok) return response
  throw await readFailure(response)
}

export interface AskInit {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** A path with what it names put in safely: `pathTo('/api/calls/', id, '/request')`. */
export function pathTo(...pieces: readonly string[]): string {
  return pieces.map((piece, index) => (index % 2 === 0 ? piece : encodeURIComponent(piece))).join('')
}

/** What the gateway says of something that it did not do. */
export async function readFailure(response: Response): Promise<CommandFailure> {
  const text = await response.text()
  const { code, message, hint } = errorIn(text)
  const told = message ?? `the gateway answered ${response.status}.`
  return new CommandFailure(code ?? `http-${response.status}`, told, { hint })
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

/** A request with the token of its gateway, where that asks for one. */
export function withToken(init: RequestInit, token: string | undefined): RequestInit {
  if (token === undefined) return init
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}
