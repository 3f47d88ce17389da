import type { AnyCapability, Command } from '../capability.ts'

/** Loads a command when it is called or helped with, so that the others cost no time. */
export type LoadCommand = (capabilities: readonly AnyCapability[]) => Promise<Command>

/** Every command, in the order of help. Throws where two capabilities bring the same name, or one of the host's own. */
export function commandsOf(capabilities: readonly AnyCapability[]): Readonly<Record<string, LoadCommand>> {
  const all: Record<string, LoadCommand> = { ...talking }
  const owners = new Map(Object.keys({ ...talking, ...inspecting }).map((name) => [name, 'foreword itself']))
  for (const { name: owner, commands = {} } of capabilities) {
    for (const [name, load] of Object.entries(commands)) {
      const other = owners.get(name)
      if (other !== undefined) throw new Error(`The command \`${name}\` of ${owner} is also a command of ${other}.`)
      owners.set(name, owner)
      all[name] = load
    }
  }
  return { ...all, ...inspecting }
}

/** Whether there is a command of this name. */
export function isCommand(name: string, capabilities: readonly AnyCapability[]): boolean {
  return [talking, inspecting, ...capabilities.map(({ commands = {} }) => commands)].some((all) =>
    Object.hasOwn(all, name),
  )
}

const talking: Readonly<Record<string, LoadCommand>> = {
  start: async () => (await import('./command/start.ts')).start,
  chat: async (capabilities) => (await import('./command/chat.ts')).chat(capabilities),
  send: async (capabilities) => (await import('./command/send.ts')).send(capabilities),
  approve: async () => (await import('./command/approve.ts')).approve,
  sessions: async () => (await import('./command/sessions.ts')).sessions,
  pair: async () => (await import('./command/pair.ts')).pair,
}

const inspecting: Readonly<Record<string, LoadCommand>> = {
  tools: async () => (await import('./command/tools.ts')).tools,
  mcp: async () => (await import('./command/mcp.ts')).mcp,
  audit: async () => (await import('./command/audit.ts')).audit,
  context: async (capabilities) => (await import('./command/context.ts')).context(capabilities),
  calls: async () => (await import('./command/calls.ts')).calls,
  request: async () => (await import('./command/request.ts')).request,
  diff: async () => (await import('./command/diff.ts')).diff,
  replay: async () => (await import('./command/replay.ts')).replay,
  assemble: async () => (await import('./command/assemble.ts')).assemble,
  check: async () => (await import('./command/check.ts')).check,
  models: async () => (await import('./command/models.ts')).models,
  config: async () => (await import('./command/config.ts')).config,
  reload: async () => (await import('./command/reload.ts')).reload,
  token: async () => (await import('./command/token.ts')).token,
  backup: async () => (await import('./command/backup.ts')).backup,
  restore: async () => (await import('./command/restore.ts')).restore,
  compact: async () => (await import('./command/compact.ts')).compact,
  docs: async () => (await import('./command/docs.ts')).docs,
  doctor: async () => (await import('./command/doctor.ts')).doctor,
}
