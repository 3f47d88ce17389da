import type { Io } from './io.ts'

/** One command: what it is called with, what help says of it, and what it does. One file each in `command/`. */
export interface Command {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** Each way to write it, without the word `foreword`. */
  readonly usage: readonly string[]
  /** What help says below the options. */
  readonly details?: string
  /** How many words may follow the command. */
  readonly words: { readonly least: number; readonly most: number }
  readonly options: Readonly<Record<string, CommandOption>>
  /** Answers the exit code. Throws `CommandFailure` where it cannot do what was asked. */
  readonly run: (call: CommandCall, io: Io) => Promise<number>
}

export interface CommandOption {
  readonly summary: string
  /** Name of the value in help. Without it the option is a switch. */
  readonly value?: string
}

/** A command as it was written. */
export interface CommandCall {
  readonly words: readonly string[]
  /** The home of this run, an absolute path. */
  readonly home: string
  readonly json: boolean
  /** The last value of an option. */
  readonly text: (option: string) => string | undefined
  /** Every value of an option that may be repeated. */
  readonly texts: (option: string) => readonly string[]
  readonly has: (option: string) => boolean
}
