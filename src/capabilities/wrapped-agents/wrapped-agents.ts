import { capability } from '../../capability.ts'

/** Other people's agents through the gateway for one run, and a view of a session while it runs. */
export const wrappedAgents = capability({
  name: 'wrapped-agents',
  summary: 'runs Claude Code, Codex, opencode, pi and others through this gateway, and shows a session while it runs',
  commands: {
    wrap: async () => (await import('./cli/wrap.ts')).wrapCommand,
    watch: async () => (await import('./cli/watch.ts')).watchCommand,
  },
})
