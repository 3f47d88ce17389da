import { redacted } from './redacted.ts'
import { TelegramRefusal } from './telegram-refusal.ts'

/** What a failed call of the Bot API means. */
export type TelegramFault =
  /** Too many calls: none is of use before that time is over. */
  | { readonly type: 'limited'; readonly retryAfterMs: number }
  /** The network or Telegram's servers fail; it may go well later. Whether the call was carried out is not known. */
  | { readonly type: 'unreachable'; readonly text: string }
  | { readonly type: 'refused'; readonly refusal: TelegramRefusal }

/** Telegram names the seconds; where it does not, ms. */
const UNTOLD_WAIT = 5_000

/** Reads what grammY threw. No text in the answer holds the token: grammY's own errors may, so they are never passed on. */
export function telegramFault(method: string, error: unknown, token: string): TelegramFault {
  if (!isAnswer(error)) return { type: 'unreachable', text: redacted(reasonOf(error), token) }
  const { error_code: code, parameters } = error
  const description = redacted(error.description, token)
  if (code === 429) {
    const seconds = parameters?.retry_after
    return { type: 'limited', retryAfterMs: seconds === undefined ? UNTOLD_WAIT : seconds * 1000 }
  }
  if (code >= 500) return { type: 'unreachable', text: `${code} ${description}` }
  const migratedTo = parameters?.migrate_to_chat_id
  return { type: 'refused', refusal: new TelegramRefusal(method, { code, description, migratedTo }) }
}

interface TelegramAnswer {
  readonly error_code: number
  readonly description: string
  readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number }
}

function isAnswer(error: unknown): error is TelegramAnswer {
  return (
    typeof error === 'object' &&
    error !== null &&
    'error_code' in error &&
    typeof error.error_code === 'number' &&
    'description' in error &&
    typeof error.description === 'string'
  )
}

/** The innermost reason: what grammY wraps says no more than that a request failed. */
function reasonOf(error: unknown): string {
  let inner = error
  for (let depth = 0; depth < 5 && typeof inner === 'object' && inner !== null; depth++) {
    const next: unknown = 'error' in inner ? inner.error : 'cause' in inner ? inner.cause : undefined
    if (next === undefined || next === null) break
    inner = next
  }
  if (inner instanceof SyntaxError) return 'its answer is no JSON'
  return inner instanceof Error ? inner.message || inner.name : String(inner)
}
