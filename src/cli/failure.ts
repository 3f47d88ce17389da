import type { Io } from '../capability.ts'
import { ForewordError, type ForewordErrorOptions } from '../platform.ts'

/** A command that cannot do what was asked: what and where in the message, and how to fix it. */
export class CommandFailure extends ForewordError {
  override readonly name = 'CommandFailure'
  /** 1, or 2 where the command was not written as it has to be. */
  readonly exitCode: number

  constructor(code: string, message: string, options: ForewordErrorOptions & { readonly exitCode?: number } = {}) {
    const { exitCode = 1, ...others } = options
    super(code, message, {}, others)
    this.exitCode = exitCode
  }
}

/** The command was not written as it has to be. Exit code 2. */
export function usageFailure(message: string, hint?: string): CommandFailure {
  return new CommandFailure('usage', message, { exitCode: 2, hint })
}

/** Refuses what only a person may do to a command that a tool has started. Tools run with `FOREWORD_TOOL=1`. */
export function refuseTools(io: Io, what: string): void {
  if (io.environment.FOREWORD_TOOL !== '1') return
  throw new CommandFailure('not-a-person', `this was called by a tool: a model cannot ${what}.`, {
    hint: 'Run it yourself, in a terminal of your own.',
  })
}
