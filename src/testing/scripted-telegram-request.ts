import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** Reads the parameters of a call from its query and its body, JSON or a form, as the Bot API does. */
export async function readParameters(incoming: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const address = new URL(incoming.url ?? '/', 'http://localhost')
  const bytes = await buffer(incoming)
  const type = incoming.headers['content-type'] ?? ''
  const query = parseFields(address.searchParams)
  if (bytes.byteLength === 0) return query
  if (type.startsWith('application/json')) return { ...query, ...parseJsonObject(bytes) }
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => {
    throw badRequest('the body can not be read')
  })
  return { ...query, ...parseFields(form) }
}

/** The values of these fields are always texts. */
const WORDS = new Set(['text', 'caption', 'callback_query_id', 'secret_token', 'url', 'file_id'])

/** The values of a form are texts. A value of another type is written as JSON. */
function parseFields(entries: Iterable<[string, unknown]>): Record<string, unknown> {
  return Object.fromEntries(
    Array.from(entries, ([name, value]) => [
      name,
      typeof value === 'string' && !WORDS.has(name) ? parseJson(value) : value,
    ]),
  )
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  const value = parseJson(bytes.toString('utf8'))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRequest("can't parse JSON body")
  return value as Record<string, unknown>
}

/** An error answer of the Bot API. */
export class BotApiRefusal extends Error {
  override readonly name = 'BotApiRefusal'
  readonly code: number
  readonly parameters: Readonly<Record<string, number>> | undefined

  constructor(code: number, description: string, parameters?: Readonly<Record<string, number>>) {
    super(description)
    this.code = code
    this.parameters = parameters
  }
}

export function badRequest(description: string): BotApiRefusal {
  return new BotApiRefusal(400, `Bad Request: ${description}`)
}
