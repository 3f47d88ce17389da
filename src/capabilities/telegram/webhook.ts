import { createHash, timingSafeEqual } from 'node:crypto'
import type { Update } from 'grammy/types'

interface WebhookParts {
  readonly secret: string | undefined
  /** On disk when it resolves. Rejects where that fails at the moment. */
  accept(update: Update): Promise<void>
}

const LONGEST_BODY = 1024 * 1024

/** Answers a call of Telegram: 200 only once the update is stored, so that Telegram repeats any other. */
export async function answerWebhook(request: Request, { secret, accept }: WebhookParts): Promise<Response> {
  if (request.method !== 'POST') return refusal(405, 'method-not-allowed', 'Invalid method: Telegram calls with POST.')
  if (!isSame(request.headers.get('x-telegram-bot-api-secret-token'), secret)) {
    return refusal(403, 'forbidden', 'X-Telegram-Bot-Api-Secret-Token is missing or wrong.')
  }
  const body = await bodyText(request)
  if (body === undefined) return refusal(413, 'too-large', `The body is larger than ${LONGEST_BODY} bytes.`)
  const update = parseBody(body)
  if (!update) return refusal(400, 'invalid-input', 'Invalid body: it must be an update of the Bot API.')
  try {
    await accept(update)
  } catch {
    return refusal(503, 'unavailable', 'The update cannot be stored at the moment. Send it again.')
  }
  return new Response(null, { status: 200 })
}

function isSame(given: string | null, secret: string | undefined): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given ?? ''), digest(secret ?? '')) && given !== null && secret !== undefined
}

/** `undefined` where it is too large. */
async function bodyText(request: Request): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let received = 0
  for await (const chunk of request.body ?? []) {
    received += chunk.byteLength
    if (received > LONGEST_BODY) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseBody(body: string): Update | undefined {
  try {
    const read: unknown = JSON.parse(body)
    if (typeof read !== 'object' || read === null || !('update_id' in read)) return undefined
    return Number.isSafeInteger(read.update_id) ? (read as Update) : undefined
  } catch {
    return undefined
  }
}

function refusal(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status })
}
