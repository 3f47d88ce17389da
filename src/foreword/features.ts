import { agents } from '../capabilities/agents/agents.ts'
import { files } from '../capabilities/files/files.ts'
import { search } from '../capabilities/search/search.ts'
import { memory } from '../capabilities/memory/memory.ts'
import { projects } from '../capabilities/projects/projects.ts'
import { prompt } from '../capabilities/prompt/prompt.ts'
import type { AnyCapability } from '../capability.ts'
import { telegram } from '../capabilities/telegram/telegram.ts'

/** What the command line has from features that are no capabilities yet. */
const features: readonly AnyCapability[] = [
  memory,
  agents,
  projects,
  prompt,
  files,
  search,
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
  return [...capabilities.map((each) => ({ ...features.find(({ name }) => name === each.name), ...each })), ...others]
}
