import type { TelegramFault } from './telegram-fault.ts'

/** The operator hears once that Telegram cannot be reached, not with every try. */
export function faultTeller(warn: (text: string) => void): (fault: TelegramFault | undefined) => void {
  let reachable = true
  return (fault) => {
    if (fault?.type === 'limited') {
      if (fault.retryAfterMs < LONG_LIMIT) return
      return warn(
        `Telegram takes nothing more for a chat for ${Math.ceil(fault.retryAfterMs / 1000)} s: too much was sent.`,
      )
    }
    if (fault?.type === 'unreachable' && reachable) {
      warn(`Telegram cannot be reached, and is tried again until it can: ${fault.text}`)
    }
    reachable = fault === undefined
  }
}

/** A limit that is worth a sentence to the operator, ms. */
const LONG_LIMIT = 60_000
