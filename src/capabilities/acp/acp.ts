import { capability } from '../../capability.ts'

/** The agent of this home for editors that speak the Agent Client Protocol, on standard input and output. */
export const acp = capability({
  name: 'acp',
  summary: 'lets editors such as Zed and JetBrains use the agent, over the Agent Client Protocol',
  commands: { acp: async () => (await import('./cli/acp.ts')).acpCommand },
})
