import { agents } from './capabilities/agents/agents.ts'
import { projects } from './capabilities/projects/projects.ts'
import { prompt } from './capabilities/prompt/prompt.ts'
import { providerCapabilities } from './capabilities/providers.ts'
import type { AnyCapability } from './capability.ts'
import { pending } from './foreword/pending.ts'

/** What comes with Foreword, in the order in which layers are declared and tools are offered. */
export const builtIn: readonly AnyCapability[] = [prompt, ...pending, agents, projects, ...providerCapabilities]
