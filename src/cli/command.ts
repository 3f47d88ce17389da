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

export const jsonOption: CommandOption = { summary: 'print JSON for programs' }

/** Where `last` and `last~N` count calls. */
export const callsOfOption: CommandOption = {
  value: 'ID',
  summary: 'the session in which `last` and `last~N` count calls (all unless given)',
}
/** `--yes` of commands that never ask, because what they change can be brought back: it means the same everywhere. */
export const noQuestion: CommandOption = { summary: 'do it without asking, as it does anyway' }

/** Options that every command takes. */
export const commonOptions: Readonly<Record<string, CommandOption>> = {
  home: { value: 'DIRECTORY', summary: 'the home (else FOREWORD_HOME, else ~/.foreword)' },
  help: { summary: 'show this help' },
}
