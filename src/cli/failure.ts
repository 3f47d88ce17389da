import type { Io } from '../capability.ts'
import { comesFromTool, errorMessage, ForewordError, type ForewordErrorOptions } from '../platform.ts'

/** A command that cannot do what was asked. The message states what is wrong and where, the hint how to fix it. */
export class CommandFailure extends ForewordError {
  override readonly name = 'CommandFailure'
  /** 1, or 2 for a command line that is not valid. */
  readonly exitCode: number

  constructor(code: string, message: string, options: ForewordErrorOptions & { readonly exitCode?: number } = {}) {
    const { exitCode = 1, ...others } = options
    super(code, message, {}, others)
    this.exitCode = exitCode
  }
}

/** For a command line that is not valid. Exit code 2. */
export function usageFailure(message: string, hint?: string): CommandFailure {
  return new CommandFailure('usage', message, { exitCode: 2, hint })
}

/** For a change that is not made, since the store does not take its record. What the store says of a way out goes along. */
export function notRecorded(code: string, error: unknown): CommandFailure {
  const message = `The change cannot be recorded, so nothing was written: ${errorMessage(error)}`
  const hint =
    (error instanceof ForewordError && error.hint) || 'See what is wrong with the store with `foreword doctor`.'
  return new CommandFailure(code, message, { hint, cause: error })
}

/** The lines `Usage: foreword …`, one for each form of a command. */
export function usageText(forms: readonly string[]): string {
  return forms.map((form, index) => `${index === 0 ? 'Usage:' : '      '} foreword ${form}`).join('\n')
}

/** Throws where a tool has started this command, by `FOREWORD_TOOL=1` of it or of a process above it: only a person may do `what`. */
export function refuseTools(io: Io, what: string): void {
  if (io.environment.FOREWORD_TOOL !== '1' && !comesFromTool(process.pid)) return
  throw new CommandFailure('not-a-person', `A tool started this command, and a model cannot ${what}.`, {
    hint: 'Run the command yourself in a terminal.',
  })
}
