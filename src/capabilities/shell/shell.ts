import { capability } from '../../capability.ts'

export const shell = capability({
  name: 'shell',
  summary: 'runs programs in the workspace',
  checks: async (context) => (await import('./check-shell.ts')).checkShell(context),
  start: async ({ home, environment, access, sandbox, places }) =>
    (await import('./shell-tool.ts')).shellBlock({ workspace: home.workspace, environment, access, sandbox, places }),
  promptBlocks: ({ service }) => [service],
})
