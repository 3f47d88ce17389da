import type { CommandCall } from '../command.ts'

/** The channel that a command is about. */
export function channelOf(call: CommandCall): string {
  return call.text('channel') ?? 'telegram'
}
