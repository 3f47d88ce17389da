import { sleep } from '../../src/platform.ts'
import type { TelegramOptions } from '../../src/capabilities/telegram/telegram-channel.ts'

/** So many times faster passes the time of the channel. */
export const FASTER = 50

/** The time of a channel that is in a hurry. */
export const hurried: Pick<TelegramOptions, 'now' | 'sleep' | 'random'> = {
  now: () => performance.now() * FASTER,
  sleep: (ms, signal) => sleep(ms / FASTER, signal),
  random: () => 0,
}
