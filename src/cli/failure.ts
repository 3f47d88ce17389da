/** A command that cannot do what was asked: what and where in the message, and how to mend it. Exit code 1. */
export class CommandFailure extends Error {
  override readonly name: string = 'CommandFailure'
  readonly code: string
  readonly mend: string | undefined
  readonly exitCode: number

  constructor(code: string, message: string, options: { mend?: string; exitCode?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.mend = options.mend
    this.exitCode = options.exitCode ?? 1
  }
}

/** The command was not written as it has to be. Exit code 2. */
export function usageFailure(message: string, mend?: string): CommandFailure {
  return new CommandFailure('usage', message, { exitCode: 2, ...(mend === undefined ? {} : { mend }) })
}
