import { RuntimeError } from '../../../capability.ts'
import { choiceCommand } from './choice.ts'
import { type AskedCommand, type ChatCommand, type CommandCall } from './command.ts'
import { context } from './context.ts'
import { helpWith } from './help.ts'
import { model } from './model.ts'
import { newSession } from './new-session.ts'
import { stop } from './stop.ts'

/** What the menu of Telegram offers; `choices`: what a session can choose. */
export function chatCommands(choices: OfferedChoices): readonly ChatCommand[] {
  const chosen = Object.entries(choices).map(([choice, { none }]) => choiceCommand(choice, none))
  const working = [newSession, stop, context, model, ...chosen]
  return [...working, helpWith(working)]
}

/** By name; `none`: what it means to choose none. */
export type OfferedChoices = Readonly<Record<string, { readonly none: string }>>

/** Does what a command asks for and answers what to say. What cannot be done is said in plain words. */
export async function answerCommand(
  { name, argument }: AskedCommand,
  commands: readonly ChatCommand[],
  call: Omit<CommandCall, 'argument'>,
): Promise<string> {
  const whole = { ...call, argument }
  if (name === 'start') return `Write something, and the agent answers. Besides:\n${await commands.at(-1)!.run(whole)}`
  if (name === 'pair') return 'This chat is paired already.'
  const command = commands.find((known) => known.name === name)
  if (!command) return `There is no command /${name}. /help lists those there are.`
  try {
    return await command.run(whole)
  } catch (error) {
    if (error instanceof RuntimeError && !PASSING.has(error.code)) return error.message
    throw error
  }
}

/** The command may go well later: it is kept. */
const PASSING: ReadonlySet<string> = new Set(['closing', 'storage', 'storage-full'])
