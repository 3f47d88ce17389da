import type { Caller, SlashCommand } from '../../capability.ts'

export interface ServedCommand extends Pick<SlashCommand, 'argument' | 'summary' | 'shows'> {
  readonly name: string
  run(call: ServedCall): Promise<CommandAnswer>
}

export interface ServedCall {
  readonly argument: string
  readonly session: string | undefined
  /** Who runs it: it may do no more than they may. */
  readonly caller: Caller
}

export interface CommandAnswer {
  readonly text?: string
  /** The session that the command was about: it made one where none was named. */
  readonly session?: string
}
