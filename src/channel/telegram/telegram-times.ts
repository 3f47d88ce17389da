/** How long things take, ms. Tests make them short. */
export interface TelegramTimes {
  /** From one sign that somebody is typing to the next: Telegram shows each for five seconds. */
  readonly typing: number
  /** From the first word to the first message, so that a quick answer is a single one. */
  readonly firstWords: number
  /** From one change of a growing reply to the next, in the chat of one person and in a group. */
  readonly personalEdit: number
  readonly groupEdit: number
  /** How long the messages of an album are waited for. */
  readonly album: number
  /** How long Telegram holds a question for messages while there are none. */
  readonly poll: number
}

export const telegramTimes: TelegramTimes = {
  typing: 4_500,
  firstWords: 600,
  personalEdit: 1_500,
  groupEdit: 4_000,
  album: 1_000,
  poll: 30_000,
}
