import { sleep } from '../../src/platform.ts'
import type { TelegramOptions } from '../../src/capabilities/telegram/telegram-channel.ts'

/** How many times faster than real time the channel runs. */
export const FASTER = 50

/** Options for a channel with fast time. */
export const fastTime: Pick<TelegramOptions, 'now' | 'sleep' | 'random'> = {
  now: () => performance.now() * FASTER,
  sleep: (ms, signal) => sleep(ms / FASTER, signal),
  random: () => 0,
}
