import type { ErrorFormat, Failure } from '../capability.ts'
import { defined, enclosedJson } from '../platform.ts'

/** Headers of every answer: nothing is cached, framed, sniffed or loaded from elsewhere, and no other origin may read it. */
export const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

const jsonHeaders = { ...securityHeaders, 'content-type': 'application/json; charset=utf-8' }
const textHeaders = { ...securityHeaders, 'content-type': 'text/plain; charset=utf-8' }

interface Sending {
  /** Between two parts of an answer. */
  pause?: () => Promise<void> | void
}

/** Answers that are sent in parts. The server, which has a clock, says what happens between them: other work runs. */
export const sentInParts = new WeakMap<Response, Sending>()

/** An answer of megabytes is sent in parts. */
export function json(value: unknown, status = 200, headers?: Readonly<Record<string, string>>): Response {
  const body = enclosedJson('', value, '')
  const options = { status, headers: headers ? { ...jsonHeaders, ...headers } : jsonHeaders }
  if (typeof body === 'string') return new Response(body, options)
  const sending: Sending = {}
  const answer = new Response(ReadableStream.from(bytesOf(body, sending)), options)
  sentInParts.set(answer, sending)
  return answer
}

async function* bytesOf(parts: Iterable<string>, sending: Sending): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    await sending.pause?.()
    yield Buffer.from(part)
  }
}

export function text(value: string): Response {
  return new Response(value, { headers: textHeaders })
}

/** A download under the name of the file: a browser neither shows nor runs it. */
export function bytes(content: Uint8Array, name: string): Response {
  const plain = name.replaceAll(/[^\w.-]/g, '_')
  const exact = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
  return new Response(new Uint8Array(content), {
    headers: {
      ...securityHeaders,
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${exact}`,
    },
  })
}

/** A download of any size, sent as it is read. */
export function download(
  { name, bytes: size, content }: { readonly name: string; readonly bytes: number; readonly content: ReadableStream },
  type: string,
): Response {
  return new Response(content, {
    headers: {
      ...securityHeaders,
      'content-type': type,
      'content-length': String(size),
      'content-disposition': `attachment; filename="${name.replaceAll(/[^\w.-]/g, '_')}"`,
    },
  })
}

/** An answer without a body, such as 204 or a redirection. */
export function empty(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status, headers: { ...securityHeaders, ...headers } })
}

/** A failure in the error format of its request: by header, else by the longest prefix of the path, else Foreword's own. */
export function errorResponse(
  failure: Failure,
  path = '/',
  formats: readonly ErrorFormat[] = [],
  headers: Pick<Headers, 'has'> = new Headers(),
): Response {
  const fitting = formats.filter((each) => path.startsWith(each.path))
  const asked = fitting.filter(({ header }) => header !== undefined && headers.has(header))
  const [format] = (asked.length > 0 ? asked : fitting.filter(({ header }) => header === undefined)).toSorted(
    (one, other) => other.path.length - one.path.length,
  )
  if (format === undefined) return json(errorBody(failure), failure.status, failure.headers)
  const { status, body, headers: own } = format.format(failure)
  return json(body, status, { ...failure.headers, ...own })
}

export function errorBody({ code, message, facts, hint }: Failure): Readonly<Record<string, unknown>> {
  return { error: { ...facts, code, message, ...defined({ hint }) } }
}
