import type { CapabilityOverview, Command, HostCommand } from '../capability.ts'
import { CommandFailure } from './failure.ts'
import { type CommandSource, loadedCapabilities } from './io.ts'

/** Loads a command when it is called or its help is shown, so that the others cost no time. */
export type LoadCommand = (source: CommandSource) => Promise<Command>

/** Every command, in the order of help. Throws where two capabilities declare the same name, or one that the host has. */
export function allCommands({ capabilities, overview }: CommandSource): Readonly<Record<string, LoadCommand>> {
  if (overview && !capabilities) return commandsOfOverview(overview)
  const all: Record<string, LoadCommand> = { ...talking }
  const owners = new Map(Object.keys({ ...talking, ...inspecting }).map((name) => [name, 'foreword itself']))
  for (const { name: owner, commands = {} } of capabilities ?? []) {
    for (const [name, load] of Object.entries(commands)) {
      const other = owners.get(name)
      if (other !== undefined)
        throw new CommandFailure('conflict', `The command \`${name}\` of ${owner} is also a command of ${other}.`)
      owners.set(name, owner)
      all[name] = load
    }
  }
  return { ...all, ...inspecting }
}

export function loadedCommands(source: CommandSource): Promise<readonly Command[]> {
  return Promise.all(Object.values(allCommands(source)).map((load) => load(source)))
}

/** A command of a capability is taken from it when it is called. */
function commandsOfOverview({ commands, load }: CapabilityOverview): Readonly<Record<string, LoadCommand>> {
  const contributed = (name: string) => async () => await allCommands({ capabilities: await load() })[name]!({})
  const own: Readonly<Record<string, LoadCommand>> = { ...talking, ...inspecting }
  return Object.fromEntries(Object.keys(commands).map((name) => [name, own[name] ?? contributed(name)]))
}

export function isCommand(name: string, { capabilities, overview }: CommandSource): boolean {
  const contributed = capabilities?.map(({ commands = {} }) => commands) ?? [overview?.commands ?? {}]
  return [talking, inspecting, ...contributed].some((all) => Object.hasOwn(all, name))
}

const talking = {
  start: async () => (await import('./command/start.ts')).startCommand,
  chat: async (source) => (await import('./command/chat.ts')).chatCommand(await loadedCapabilities(source)),
  send: async (source) => (await import('./command/send.ts')).sendCommand(source),
  approve: async () => (await import('./command/approve.ts')).approveCommand,
  sessions: async () => (await import('./command/sessions.ts')).sessionsCommand,
  pair: async () => (await import('./command/pair.ts')).pairCommand,
} satisfies Partial<Record<HostCommand, LoadCommand>>

const inspecting: Readonly<Record<Exclude<HostCommand, keyof typeof talking | 'help' | 'version'>, LoadCommand>> = {
  tools: async () => (await import('./command/tools.ts')).toolsCommand,
  accept: async () => (await import('./command/approve.ts')).acceptCommand,
  mcp: async () => (await import('./command/mcp.ts')).mcpCommand,
  context: async (source) => (await import('./command/context.ts')).contextCommand(source),
  calls: async () => (await import('./command/calls.ts')).callsCommand,
  explain: async () => (await import('./command/inspect.ts')).explainCommand,
  notes: async () => (await import('./command/inspect.ts')).notesCommand,
  request: async () => (await import('./command/request.ts')).requestCommand,
  diff: async () => (await import('./command/inspect.ts')).diffCommand,
  replay: async () => (await import('./command/inspect.ts')).replayCommand,
  assemble: async () => (await import('./command/assemble.ts')).assembleCommand,
  check: async () => (await import('./command/check.ts')).checkCommand,
  models: async () => (await import('./command/models.ts')).modelsCommand,
  people: async () => (await import('./command/people.ts')).peopleCommand,
  gateways: async () => (await import('./command/gateways.ts')).gatewaysCommand,
  config: async () => (await import('./command/config.ts')).configCommand,
  reload: async () => (await import('./command/reload.ts')).reloadCommand,
  token: async () => (await import('./command/token.ts')).tokenCommand,
  service: async () => (await import('./command/service.ts')).serviceCommand,
  migrate: async () => (await import('./command/migrate.ts')).migrateCommand,
  completion: async () => (await import('./command/completion.ts')).completionCommand(loadedCommands),
  docs: async () => (await import('./command/docs.ts')).docsCommand,
  doctor: async () => (await import('./command/doctor.ts')).doctorCommand,
}
