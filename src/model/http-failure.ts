/** An answer with a status that means failure, with what it said. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  readonly statusCode: number
  readonly responseBody: string
  readonly responseHeaders: Readonly<Record<string, string>>

  constructor(statusCode: number, responseBody: string, responseHeaders: Readonly<Record<string, string>>) {
    super(`HTTP ${statusCode}`)
    this.statusCode = statusCode
    this.responseBody = responseBody
    this.responseHeaders = responseHeaders
  }
}

/** Throws `HttpFailure` unless the answer is a good one. */
export async function expectOk(response: Response): Promise<Response> {
  if (response.ok) return response
  const body = await response.text().catch(() => '')
  throw new HttpFailure(response.status, body, Object.fromEntries(response.headers))
}
