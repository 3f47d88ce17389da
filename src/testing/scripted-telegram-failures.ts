import type { ScriptedFailure } from './scripted-telegram-contract.ts'

/** Failures that wait for their calls. */
export interface TelegramFailures {
  add(method: string, how: ScriptedFailure, times: number): void
  /** The failure of a call, which uses it up. */
  take(method: string, chat: number | undefined): ScriptedFailure | undefined
}

export function telegramFailures(): TelegramFailures {
  const waiting: { readonly method: string; readonly how: ScriptedFailure; times: number }[] = []
  return {
    add: (method, how, times) => void waiting.push({ method: method.toLowerCase(), how, times }),
    take(method, chat) {
      const index = waiting.findIndex(
        ({ method: wanted, how, times }) =>
          times > 0 && (wanted === method || wanted === '*') && (how.chat === undefined || how.chat === chat),
      )
      const found = waiting[index]
      if (!found) return undefined
      found.times--
      if (found.times === 0) waiting.splice(index, 1)
      return found.how
    },
  }
}
