import type { Runtime, SlashCommand, SlashCommandCall } from '../../../capability.ts'
import { errorMessage, ForewordError, once } from '../../../platform.ts'
import type { HostedRuntime } from '../../../runtime.ts'
import { type ChatCommand, commandName } from './command.ts'

export function contributedCommands(runtime: Runtime, warn: (text: string) => void): readonly ChatCommand[] {
  if (!isHosted(runtime)) return []
  const ask = askInProcess(runtime)
  return runtime.contributed.capabilities.flatMap(({ slashCommands = {} }) =>
    Object.entries(slashCommands).map(([name, command]) => chatCommand(name, command, ask, warn)),
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
