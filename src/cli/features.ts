import type { AnyCapability, Io, SessionChoice } from '../capability.ts'
import { builtIn } from '../foreword.ts'
import { main as commandLine } from './main.ts'

/** What the command line has from features that are no capabilities yet. */
const commandsOfToday: readonly AnyCapability[] = [
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
  {
    name: 'subjects',
    session: { subject: choice('Id of the subject that the session is about.', 'no subject') },
    commands: { subjects: async () => (await import('../capabilities/subjects/cli/subjects.ts')).subjects },
  },
  { name: 'prompt', commands: { prompt: async () => (await import('../capabilities/prompt/cli/prompt.ts')).prompt } },
  {
    name: 'files',
    commands: {
      files: async () => (await import('../capabilities/files/cli/files.ts')).files,
      search: async () => (await import('../capabilities/files/cli/search.ts')).search,
    },
  },
  { name: 'skills', commands: { skills: async () => (await import('../capabilities/skills/cli/skills.ts')).skills } },
]

/** Settings and commands of one feature are one capability. */
export const features: readonly AnyCapability[] = [
  ...commandsOfToday.map((feature) => ({ ...builtIn.find(({ name }) => name === feature.name), ...feature })),
  ...builtIn.filter(({ name }) => !commandsOfToday.some((feature) => feature.name === name)),
]

/** The command line with them. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  return await commandLine(argv, { ...io, capabilities: io.capabilities ?? features })
}

function choice(summary: string, none: string): SessionChoice<never> {
  return { summary, none, check: async () => {} }
}
