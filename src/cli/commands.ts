import type { Command } from './command.ts'

/** Every command in the order of help. Loaded when called, so that the others cost no time. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./command/start.ts')).start,
  chat: async () => (await import('./command/chat.ts')).chat,
  send: async () => (await import('./command/send.ts')).send,
  approve: async () => (await import('./command/approve.ts')).approve,
  sessions: async () => (await import('./command/sessions.ts')).sessions,
  tools: async () => (await import('./command/tools.ts')).tools,
  audit: async () => (await import('./command/audit.ts')).audit,
  context: async () => (await import('./command/context.ts')).context,
  calls: async () => (await import('./command/calls.ts')).calls,
  request: async () => (await import('./command/request.ts')).request,
  diff: async () => (await import('./command/diff.ts')).diff,
  replay: async () => (await import('./command/replay.ts')).replay,
  assemble: async () => (await import('./command/assemble.ts')).assemble,
  check: async () => (await import('./command/check.ts')).check,
  models: async () => (await import('./command/models.ts')).models,
  skills: async () => (await import('./command/skills.ts')).skills,
  config: async () => (await import('./command/config.ts')).config,
  reload: async () => (await import('./command/reload.ts')).reload,
  token: async () => (await import('./command/token.ts')).token,
  doctor: async () => (await import('./command/doctor.ts')).doctor,
}
