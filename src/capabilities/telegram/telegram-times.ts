/** How long things take, ms. */
export const telegramTimes = {
  /** From one sign that somebody is typing to the next: Telegram shows each for five seconds. */
  typing: 4_500,
  /** From the first word to the first message, so that a quick answer is a single one. */
  firstWords: 600,
  /** From one change of a growing reply to the next, in the chat of one person and in a group. */
  personalEdit: 1_500,
  groupEdit: 4_000,
  /** How long each further message of an album is waited for. */
  album: 1_500,
  /** How long Telegram holds a question for messages while there are none. */
  poll: 30_000,
} as const
