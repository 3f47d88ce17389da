import { subjects } from '../capabilities/subjects/subjects.ts'
import { telegram } from '../capabilities/telegram/telegram.ts'
import type { AnyCapability, SessionChoice } from '../capability.ts'

/** What the command line has from features that are no capabilities yet. */
const features: readonly AnyCapability[] = [
  { name: 'memory', commands: { memory: async () => (await import('../capabilities/memory/cli/memory.ts')).memory } },
  {
    name: 'agents',
    session: { agent: choice('Id of the custom agent that answers.', 'the default agent') },
    commands: { agents: async () => (await import('../capabilities/agents/cli/agents.ts')).agents },
  },
  {
    name: 'projects',
    session: { project: choice('Id of the project that the session belongs to.', 'no project') },
    commands: { projects: async () => (await import('../capabilities/projects/cli/projects.ts')).projects },
  },
  subjects,
  { name: 'prompt', commands: { prompt: async () => (await import('../capabilities/prompt/cli/prompt.ts')).prompt } },
  {
    name: 'files',
    commands: {
      files: async () => (await import('../capabilities/files/cli/files.ts')).files,
      search: async () => (await import('../capabilities/files/cli/search.ts')).search,
    },
  },
  {
    name: 'search',
    checks: async (context) => (await import('../capabilities/files/cli/check-embedder.ts')).checkEmbedder(context),
  },
  {
    name: 'skills',
    commands: { skills: async () => (await import('../capabilities/skills/cli/skills.ts')).skills },
    checks: async (context) => (await import('../capabilities/skills/cli/check-skills.ts')).checkSkills(context),
    async startLine(runtime) {
      const { reachText, skillsReach } = await import('../capabilities/skills/cli/skills-reach.ts')
      const { skills = 0 } = (await runtime.status()) as { readonly skills?: number }
      return skills === 0
        ? undefined
        : { label: 'Skills', text: reachText(skillsReach(await runtime.preview({}), skills)) }
    },
  },
  {
    name: 'shell',
    checks: async (context) => (await import('../capabilities/shell/check-shell.ts')).checkShell(context),
  },
  {
    name: 'mcp',
    async checks({ settings: { servers } }) {
      const names = Object.keys(servers)
      if (names.length === 0) return []
      return [
        { check: 'mcp', level: 'ok', message: `${names.length === 1 ? 'server' : 'servers'} ${names.join(', ')}` },
      ]
    },
  },
  telegram,
]

/** Those of the list with what the command line has of them, and then the others. */
export function withFeatures(capabilities: readonly AnyCapability[]): readonly AnyCapability[] {
  const others = features.filter(({ name }) => !capabilities.some((each) => each.name === name))
  return [...capabilities.map((each) => ({ ...each, ...features.find(({ name }) => name === each.name) })), ...others]
}

function choice(summary: string, none: string): SessionChoice<never> {
  return { summary, none, check: async () => {} }
}
