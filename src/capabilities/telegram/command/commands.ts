import { ForewordError, errorMessage, once } from '../../../platform.ts'
import { type ChatCommand, type ChatCommandCall, type ParsedCommand, commandName } from './command.ts'
import { choiceCommand, requestSizeCommand, modelCommand, newSessionCommand, stopCommand } from './session-commands.ts'
import type { Runtime, SlashCommand, SlashCommandCall } from '../../../capability.ts'
import type { HostedRuntime } from '../../../runtime.ts'

/** The channel's own, one for each choice, the contributed ones, and `/help`. Of two with one name the first counts. */
export function chatCommands(choices: ChatChoices, contributed: readonly ChatCommand[] = []): readonly ChatCommand[] {
  const chosen = Object.entries(choices).map(([choice, { none }]) => choiceCommand(choice, none))
  const own = [newSessionCommand, stopCommand, requestSizeCommand, modelCommand, ...chosen]
  const taken = new Set(['help', 'start', 'pair', ...own.map(({ name }) => name)])
  const working = [...own, ...contributed.filter(({ name }) => taken.size < taken.add(name).size)]
  const help: ChatCommand = {
    name: 'help',
    summary: 'list the commands',
    run: async () => [...working, help].map(commandLine).join('\n'),
  }
  return [...working, help]
}

/** `none`: what it means to choose none. */
export type ChatChoices = Readonly<Record<string, { readonly none: string }>>

/** Rejects where the command may succeed later. */
export async function runChatCommand(
  { name, argument }: ParsedCommand,
  commands: readonly ChatCommand[],
  call: Omit<ChatCommandCall, 'argument'>,
): Promise<string> {
  const whole = { ...call, argument }
  if (name === 'start') return `Send a message to talk to the agent. Commands:\n${await commands.at(-1)!.run(whole)}`
  if (name === 'pair') return 'This chat is already paired.'
  const command = commands.find((known) => known.name === name)
  if (!command) return `Unknown command /${name}. List the commands with /help.`
  try {
    return await command.run(whole)
  } catch (error) {
    if (!(error instanceof ForewordError) || !error.expose || mayRecover(error)) throw error
    return error.hint === undefined ? error.message : `${error.message} ${error.hint}`
  }
}

/** Whether the work may succeed later: the gateway is stopping, its disk fails at the moment, or a home is between two gateways. */
export function mayRecover(error: Error): boolean {
  return error instanceof ForewordError && PASSING.has(error.code)
}

const PASSING: ReadonlySet<string> = new Set(['closing', 'overloaded', 'standby', 'storage', 'storage-full'])

function commandLine({ name, argument, summary }: ChatCommand): string {
  return `/${name}${argument === undefined ? '' : ` [${argument}]`}: ${summary}`
}

export function contributedCommands(runtime: Runtime, warn: (text: string) => void): readonly ChatCommand[] {
  if (!isHosted(runtime)) return []
  const ask = askInProcess(runtime)
  return runtime.contributed.capabilities.flatMap(({ slashCommands = {} }) =>
    Object.entries(slashCommands).flatMap(([name, command]) =>
      command.sends ? [] : [chatCommand(name, command, ask, warn)],
    ),
  )
}

function isHosted(runtime: Runtime): runtime is HostedRuntime {
  return 'contributed' in runtime
}

function chatCommand(
  name: string,
  { argument: usage, summary, run }: SlashCommand,
  ask: SlashCommandCall['ask'],
  warn: (text: string) => void,
): ChatCommand {
  return {
    name: commandName(name),
    summary,
    // `/help` adds brackets of its own.
    ...(usage === undefined ? {} : { argument: usage.replace(/^\[(.*)\]$/, '$1') }),
    async run({ runtime, binding, argument = '' }) {
      try {
        const session = await runtime.store.bound(binding)
        return (await run({ argument, session, ask })) || 'Done.'
      } catch (error) {
        if (error instanceof ForewordError) throw error
        // A retry could repeat an effect.
        warn(`The command /${name} failed in Telegram: ${errorMessage(error)}`)
        throw new ForewordError('internal', `The command /${name} failed.`, {}, { cause: error, hint: LOG_HINT })
      }
    },
  }
}

const LOG_HINT = 'The log of the gateway has the reason.'

/** Within this process: no port has to be open, and no token is needed. */
function askInProcess(runtime: HostedRuntime): SlashCommandCall['ask'] {
  const opened = once(async () => {
    const { askServer, createServer, hostedOptions } = await import('../../../server.ts')
    const { version } = await runtime.status()
    const options = { ...(await hostedOptions(runtime)), version, bind: '127.0.0.1' }
    return askServer(createServer(runtime, options).fetch)
  })
  return async (path, init) => (await opened())(path, init)
}
