import type { McpDefinitions } from '../capability.ts'
import type { Runtime } from '../runtime.ts'
import type { McpAddition } from './mcp/catalogue.ts'

/** What subjects add to the MCP server of a runtime. Loaded when it is asked for; until subjects are a capability. */
export function subjectAddition({ subjects, proposals, store }: Runtime): McpAddition {
  return {
    definitions: subjectDefinitions,
    async open() {
      const { subjectContribution } = await import('../capabilities/subjects/mcp/subject-contribution.ts')
      return subjectContribution({ subjects, proposals, store, time: () => new Date().toISOString() })
    },
  }
}

export async function subjectDefinitions(): Promise<McpDefinitions> {
  return (await import('../capabilities/subjects/mcp/definitions.ts')).subjectDefinitions
}
