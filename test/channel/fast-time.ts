import { clockOf, systemClock } from '../../src/platform.ts'
import type { TelegramOptions } from '../../src/capabilities/telegram/telegram-channel.ts'

/** How many times faster than real time the channel runs. */
export const FASTER = 50

/** Options for a channel with fast time. */
export const fastTime: Pick<TelegramOptions, 'clock' | 'random'> = {
  clock: clockOf({
    ...systemClock,
    monotonic: () => systemClock.monotonic() * FASTER,
    timer: (ms, work, options) => systemClock.timer(ms / FASTER, work, options),
  }),
  random: () => 0,
}
