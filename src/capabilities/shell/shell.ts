import { capability } from '../../capability.ts'

export const shell = capability({
  name: 'shell',
  summary: 'runs programs in the workspace',
  checks: async (context) => (await import('./check-shell.ts')).checkShell(context),
  async start({ home, environment, access, sandbox, places }) {
    const { shellBlock } = await import('./shell-tool.ts')
    return shellBlock({ workspace: home.workspace, environment, access, sandbox, places })
  },
  promptBlocks: ({ service }) => [service],
})
