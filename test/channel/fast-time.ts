import { clockOf, systemClock } from '../../src/platform.ts'
import type { TelegramOptions } from '../../src/capabilities/telegram/telegram-channel.ts'

/** How many times faster than real time the channel runs. */
export const FASTER = 50

/** Options for a channel with fast time. */
export const fastTime: Pick<TelegramOptions, 'clock' | 'random'> = {
  clock: clockOf({
    ...systemClock,
    monotonic: () => systemClock.monotonic() * FASTER,
    // What may take until the end of the process is a limit for Telegram, which is as fast as ever.
    timer: (ms, work, options) => systemClock.timer(options?.idle ? ms : ms / FASTER, work, options),
  }),
  random: () => 0,
}
