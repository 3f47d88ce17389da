import type { Api } from 'grammy'
import type { Update } from 'grammy/types'
import { backOff } from './api/back-off.ts'
import type { Sleep } from './telegram-options.ts'
import { telegramTimes } from './telegram-times.ts'

export interface PollParts {
  readonly api: Api
  readonly signal: AbortSignal
  readonly sleep: Sleep
  /** From 0 to 1. */
  random(): number
  /** Keeps an update. Only what was kept is acknowledged. */
  accept(update: Update): Promise<void>
  /** Told of every question that failed; answers how long to wait at least, ms. With `undefined`: one went well. */
  onTrouble(trouble: unknown): Promise<number>
}

/** What the bot is told of. */
export const updateKinds = ['message', 'callback_query', 'my_chat_member'] as const

/**
 * Asks for updates until the signal ends. An update is acknowledged with the next question, once it stands on disk:
 * whatever is lost before that comes again.
 */
export async function pollUpdates({ api, signal, sleep, random, ...parts }: PollParts): Promise<void> {
  const ending = signal as unknown as Parameters<Api['raw']['getUpdates']>[1]
  let offset = 0
  let failures = 0
  while (!signal.aborted) {
    try {
      const timeout = Math.round(telegramTimes.poll / 1000)
      const updates = await api.raw.getUpdates({ offset, timeout, limit: 100, allowed_updates: updateKinds }, ending)
      for (const update of updates) {
        if (signal.aborted) return
        await parts.accept(update)
        offset = update.update_id + 1
      }
      failures = 0
      await parts.onTrouble(undefined)
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      const least = await parts.onTrouble(error)
      await sleep(Math.max(least, backOff(failures, random)), signal)
    }
  }
}
