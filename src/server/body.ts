import { HttpFailure } from './failure.ts'

/**
 * The JSON of a request's body; `{}` where there is none. Throws `HttpFailure` for a body that is too large, is not
 * declared as JSON (which is also what a form on a foreign page cannot do), or does not parse.
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const body = await readText(request, maxBytes)
  if (body === '') return {}
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
    throw new HttpFailure(
      415,
      'unsupported-media-type',
      'The body must be declared as JSON: send the header "Content-Type: application/json".',
    )
  }
  try {
    return JSON.parse(body)
  } catch (error) {
    const detail = error instanceof SyntaxError ? error.message : 'it ends too early'
    throw new HttpFailure(400, 'invalid-input', `The body is not JSON: ${detail.slice(0, 200)}.`)
  }
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const declared = request.headers.get('content-length')
  if (declared === null) return readUndeclared(request, maxBytes)
  // A body cannot be longer than declared: the HTTP parser ends it there.
  if (Number(declared) > maxBytes) throw tooLarge(maxBytes)
  return request.text()
}

async function readUndeclared(request: Request, maxBytes: number): Promise<string> {
  if (request.body === null) return ''
  const decoder = new TextDecoder()
  let size = 0
  let text = ''
  for await (const bytes of request.body) {
    size += bytes.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    text += decoder.decode(bytes, { stream: true })
  }
  return text + decoder.decode()
}

function tooLarge(maxBytes: number): HttpFailure {
  return new HttpFailure(
    413,
    'body-too-large',
    `The body is larger than ${maxBytes} bytes, the most that is accepted. gateway.maxBodyBytes sets the limit.`,
    { maxBytes },
  )
}
