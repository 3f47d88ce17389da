import { readText } from '../../plugin.ts'
import { accessPlaces, type Runtime } from '../../runtime.ts'
import { subjectOperations } from '../../subject.ts'
import { accessFile } from '../../tool.ts'
import { assembleTool } from './assemble-tool.ts'
import { mcpAudit } from './audited.ts'
import type { McpCatalogue } from './catalogue.ts'
import { runtimePrompts } from './prompts.ts'
import { runtimeResources } from './resources.ts'
import { subjectTools } from './subject-tools.ts'
import { toolRefusal } from './tool-permission.ts'

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
  // The environment tunes the shell alone, which is not offered here.
  const policy = accessFile(accessPlaces(home), {}, readText)
  return {
    instructions: INSTRUCTIONS,
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
    refusal: async (tool) => toolRefusal(await policy.current(), tool),
    refused: audit.refused,
  }
}

const INSTRUCTIONS =
  'Foreword keeps the working context of subjects: anything with a brief, notes, a log and tastes of its own. Call ' +
  'read_context before working on a subject, log_operation and log_gap while you work, and propose_notes_update or ' +
  'propose_taste_update for what should be remembered. A proposal writes nothing until a person confirms it. Where ' +
  'tastes conflict, the person decides. Every tool answers {success, data, error}.'
