import type { Runtime, SlashCommand, SlashCommandCall } from '../../../capability.ts'
import { errorMessage, ForewordError, once } from '../../../platform.ts'
import type { HostedRuntime } from '../../../runtime.ts'
import { type ChatCommand, commandName } from './command.ts'

/** The slash commands of the capabilities, as commands of a chat, in the order of the capabilities. */
export function contributedCommands(runtime: Runtime, warn: (text: string) => void): readonly ChatCommand[] {
  if (!isHosted(runtime)) return []
  const ask = askInProcess(runtime)
  return runtime.contributed.capabilities.flatMap(({ slashCommands = {} }) =>
    Object.entries(slashCommands).map(([name, command]) => chatCommand(name, command, ask, warn)),
  )
}

/** Whether a runtime has the contributions of its capabilities, as every runtime of a gateway does. */
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

/** Calls the HTTP API within this process: no port has to be open, and no token is needed. Loaded with the first call. */
function askInProcess(runtime: HostedRuntime): SlashCommandCall['ask'] {
  const opened = once(async () => {
    const { createServer, hostedOptions } = await import('../../../server.ts')
    const { version } = await runtime.status()
    return createServer(runtime, { ...(await hostedOptions(runtime)), version, bind: ADDRESS })
  })
  return async <Answer>(path: string, { method, body }: { readonly method?: string; readonly body?: unknown } = {}) => {
    const server = await opened()
    const response = await server.fetch(
      new Request(`http://${ADDRESS}${path}`, {
        ...(method === undefined ? {} : { method }),
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
    )
    if (!response.ok) throw await refusalError(response)
    return (await response.json()) as Answer
  }
}

const ADDRESS = '127.0.0.1'

/** The error of an answer that is no success: `{error: {code, message, hint?}}`. */
async function refusalError(response: Response): Promise<ForewordError> {
  const body = (await response.json().catch(() => undefined)) as { readonly error?: Refusal } | undefined
  const { code = 'internal', message = `The gateway answered ${response.status}.`, hint } = body?.error ?? {}
  return new ForewordError(code, message, { status: response.status }, { hint })
}

interface Refusal {
  readonly code?: string
  readonly message?: string
  readonly hint?: string
}
