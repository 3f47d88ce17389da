import { RuntimeError } from '../../../runtime.ts'
import { agent } from './agent.ts'
import { type AskedCommand, type ChatCommand, type CommandCall } from './command.ts'
import { context } from './context.ts'
import { helpWith } from './help.ts'
import { model } from './model.ts'
import { newSession } from './new-session.ts'
import { stop } from './stop.ts'
import { subject } from './subject.ts'

const working: readonly ChatCommand[] = [newSession, stop, context, model, agent, subject]
const help = helpWith(working)

/** What the menu of Telegram offers. */
export const chatCommands: readonly ChatCommand[] = [...working, help]

/** Does what a command asks for and answers what to say. What cannot be done is said in plain words. */
export async function answerCommand(
  { name, argument }: AskedCommand,
  call: Omit<CommandCall, 'argument'>,
): Promise<string> {
  const whole = { ...call, argument }
  if (name === 'start') return `Write something, and the agent answers. Besides:\n${await help.run(whole)}`
  if (name === 'pair') return 'This chat is paired already.'
  const command = chatCommands.find((known) => known.name === name)
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
