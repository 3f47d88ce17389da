import type { CommandCall, CommandOption, Io } from '../capability.ts'
import { usageFailure } from './failure.ts'
import { readNamedFile } from './read-file.ts'

export const systemOption: CommandOption = {
  value: 'TEXT',
  summary: 'the system prompt of this turn alone; `@FILE` reads it from a file',
}

/** The text of `--system`; `undefined` where it is not given. The standard input is for the message. */
export async function systemOf(call: CommandCall, io: Io): Promise<string | undefined> {
  const given = call.text('system')
  if (given === undefined) return undefined
  const file = given.startsWith('@') ? given.slice(1) : undefined
  if (file === '' || file === '-') throw usageFailure(`--system cannot be ${given}.`, 'Name a file: `--system @FILE`.')
  const text = file === undefined ? given : await readNamedFile(file, io)
  if (text.trim() !== '') return text
  throw usageFailure(
    `${file ?? '--system'} is blank.`,
    'Write the system prompt of this turn, or leave the option out.',
  )
}
