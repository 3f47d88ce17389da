import type { CommandOption } from '../capability.ts'

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
