import type { OfferedChoices } from './command/commands.ts'

/** Waits, or until `signal` is aborted. Never rejects. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** What a channel to Telegram needs: the keys of `channels.telegram`, and what they stand for. */
export interface TelegramOptions {
  /** The bot's token. No text that leaves the channel holds it. */
  readonly token: string
  readonly apiRoot: string
  readonly allowedUsers: readonly number[]
  readonly allowedChats: readonly number[]
  readonly linkPreviews: boolean
  /** Telegram calls the gateway. The gateway asks Telegram where absent. The secret is drawn unless it is given. */
  readonly webhook?: { readonly url: string; readonly secret?: string } | undefined
  /** What a session can choose: a command for each. */
  readonly choices?: OfferedChoices
  /** Of one file, bytes. */
  readonly maxFileBytes: number
  readonly sleep?: Sleep
  /** Monotonic, ms. */
  readonly now?: () => number
  /** From 0 to 1. */
  readonly random?: () => number
}
