import type { TelegramOptions } from '../../src/channel.ts'
import { rest } from '../../src/capabilities/telegram/rest.ts'

/** So many times faster passes the time of the channel. */
export const FASTER = 50

/** The time of a channel that is in a hurry. */
export const hurried: Pick<TelegramOptions, 'now' | 'rest' | 'random'> = {
  now: () => performance.now() * FASTER,
  rest: (ms, signal) => rest(ms / FASTER, signal),
  random: () => 0,
}
