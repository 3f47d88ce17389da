import type { CommandCall } from '../../capability.ts'

/** The channel that a command is about. */
export function channelOf(call: CommandCall): string {
  return call.text('channel') ?? 'telegram'
}
