/** Commands that the command line has itself. No capability can contribute a command of such a name. */
export const hostCommands = [
  'help',
  'version',
  'start',
  'chat',
  'send',
  'approve',
  'sessions',
  'pair',
  'tools',
  'mcp',
  'audit',
  'context',
  'calls',
  'usage',
  'request',
  'diff',
  'replay',
  'assemble',
  'check',
  'models',
  'config',
  'reload',
  'token',
  'backup',
  'restore',
  'compact',
  'docs',
  'doctor',
] as const

/** The name of a command of the command line itself. */
export type HostCommand = (typeof hostCommands)[number]
