import type { Runtime } from '../../runtime.ts'
import { subjectOperations } from '../../capabilities/subjects/core.ts'
import { assembleTool } from './assemble-tool.ts'
import { mcpAudit } from './audited.ts'
import type { McpCatalogue } from './catalogue.ts'
import { instructions } from './definitions.ts'
import { runtimePrompts } from './prompts.ts'
import { runtimeResources } from './resources.ts'
import { subjectTools } from '../../capabilities/subjects/mcp/subject-tools.ts'
import { refusalIn } from './tool-permission.ts'

export interface CatalogueOptions {
  /** Of the home of the runtime. */
  readonly home: string
  /** ISO 8601. */
  readonly time: () => string
  /** Told of failures that nobody expected. */
  readonly unexpected: (error: unknown) => void
}

/** What a runtime offers to programs that speak MCP, in a fixed order. */
export function runtimeCatalogue(runtime: Runtime, { home, time, unexpected }: CatalogueOptions): McpCatalogue {
  const { subjects, proposals, store } = runtime
  const audit = mcpAudit({ store, time })
  return {
    instructions,
    tools: [
      ...subjectTools({
        operations: (taking) => subjectOperations({ subjects, proposals: taking, time }),
        proposals,
        audit,
        unexpected,
      }),
      assembleTool(unexpected),
    ],
    resources: runtimeResources(runtime),
    prompts: runtimePrompts(runtime),
    refusal: refusalIn(home),
    refused: audit.refused,
  }
}
