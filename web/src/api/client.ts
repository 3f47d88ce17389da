import { noteReach } from './reachable.ts'
import { noteSignedOut } from './signed-out.ts'
import { underway } from './underway.ts'
import { t, translated } from '../language/language.ts'

/** An answer of the gateway that is an error: what is wrong, and how to correct it. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** `offline`: no answer came. Otherwise a code of the gateway, such as `not-found`. */
  readonly code: string
  readonly hint: string | undefined
  readonly status: number
  readonly facts: Readonly<Record<string, unknown>>

  constructor(status: number, body: ErrorBody) {
    super(translated(body.message))
    this.status = status
    this.code = body.code
    this.hint = body.hint && translated(body.hint)
    this.facts = { ...body }
  }
}

interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly hint?: string
}

export interface ApiOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON; a file as it is, with the content type of `headers`. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Calls the HTTP API of the gateway that served the page and returns its JSON. Rejects with `ApiError`. */
export async function api<Answer>(path: string, options: ApiOptions = {}): Promise<Answer> {
  const text = await underway(request(path, options).then((response) => response.text()))
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

/** The answer itself. Rejects with `ApiError` where it is not a success or none comes. */
export async function request(path: string, { method = 'GET', body, headers, signal }: ApiOptions): Promise<Response> {
  let response: Response
  try {
    const call = fetch(path, {
      method,
      headers: {
        ...(body === undefined || body instanceof Blob ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
    response = await underway(call)
  } catch (error) {
    if (signal?.aborted) throw error
    throw unreachable(t`Check that \`foreword start\` is running. This page reconnects by itself.`)
  }
  const failure = response.ok ? undefined : await errorBody(response)
  if (failure && isElsewhere(response, failure)) throw unreachable(t`This page reconnects by itself.`)
  noteReach(true)
  if (failure === undefined) return response
  if (response.status === 401) noteSignedOut()
  throw new ApiError(response.status, failure)
}

function unreachable(hint: string): ApiError {
  noteReach(false)
  return new ApiError(0, { code: 'offline', message: t`The gateway cannot be reached.`, hint })
}

/** Whether a web server in front answers, since no gateway does, or a gateway that does not have the home yet. */
function isElsewhere({ status }: Response, { code }: ErrorBody): boolean {
  return code === 'standby' || (code === 'unreadable' && status >= 502 && status <= 504)
}

/** The error that a response reports. */
export async function errorBody(response: Response): Promise<ErrorBody> {
  try {
    const { error } = (await response.json()) as { readonly error: ErrorBody }
    return error
  } catch {
    return { code: 'unreadable', message: t`The gateway answered with status ${response.status}.` }
  }
}
