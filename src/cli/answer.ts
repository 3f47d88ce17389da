import type { GatewayConnection } from '../capability.ts'
import { fieldsOf, isObject, parseJson } from '../platform.ts'
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

/** The list that the response has under `key`. A response without it is an error, never an empty list. */
export async function requestList<Item>(
  connection: Pick<GatewayConnection, 'fetch'>,
  path: string,
  key: string,
): Promise<readonly Item[]> {
  const list = (await requestJson<Readonly<Record<string, readonly Item[]>>>(connection, path))[key]
  if (list !== undefined) return list
  throw new CommandFailure('unsupported', `The answer of the gateway to ${path} has no "${key}".`, {
    hint: 'Start the gateway again with the version of this command.',
  })
}

export async function sendRequest(
  connection: Pick<GatewayConnection, 'fetch'>,
  path: string,
  init: RequestInput = {},
): Promise<Response> {
  const { body, headers, ...rest } = init
  const response = await connection
    .fetch(path, {
      ...rest,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    })
    .catch(throwUnreachable)
  if (response.ok) return response
  throw await readFailure(response)
}

/** The code of a request that no gateway answered. */
export const UNREACHABLE = 'network'

/** The gateway ended after the command had found it: `fetch` itself says only that it failed. */
function throwUnreachable(error: unknown): never {
  if (!(error instanceof TypeError) || error.message !== 'fetch failed') throw error
  throw new CommandFailure(UNREACHABLE, 'The gateway does not answer: it has stopped, or is starting again.', {
    hint: 'Start it with `foreword start` if it does not run, and try again.',
    cause: error,
  })
}

export interface RequestInput {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** A path with encoded values: `pathTo('/api/calls/', id, '/request')`. */
export function apiPath(...pieces: readonly string[]): string {
  return pieces.map((piece, index) => (index % 2 === 0 ? piece : encodeURIComponent(piece))).join('')
}

export async function readFailure(response: Response): Promise<CommandFailure> {
  const body = fieldsOf(parseJson(await response.text()))
  const { code, message, hint } = isObject(body['error']) ? body['error'] : body
  const sentence = textOf(message) ?? `The gateway answered with status ${response.status}.`
  return new CommandFailure(textOf(code) ?? `http-${response.status}`, sentence, { hint: textOf(hint) })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function withToken(init: RequestInit, token: string | undefined): RequestInit {
  if (token === undefined) return init
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}
