import type { McpCatalogue, McpContribution, McpDefinitions, Runtime } from '../../capability.ts'
import { assembleTool } from './assemble-tool.ts'
import { mcpAudit } from './audited.ts'
import { allDefinitions } from './definitions.ts'
import { explainCall } from './explain-call.ts'
import { ownResources, pagedResources } from './resources.ts'
import { refusalIn } from './tool-permission.ts'

/** What one capability adds to the MCP server of an open home. */
export interface McpAddition {
  definitions(): McpDefinitions | Promise<McpDefinitions>
  open(): McpContribution | Promise<McpContribution>
}

export interface CatalogueOptions {
  /** Of the runtime. */
  readonly home: string
  /** ISO 8601. */
  readonly time: () => string
  /** Called with failures that nobody expected. */
  readonly unexpected: (error: unknown) => void
  /** What capabilities add, in their order. */
  readonly additions: readonly McpAddition[]
}

/**
 * What a runtime and its capabilities offer to programs that speak MCP, in a fixed order. Rejects where two offer a tool or
 * a prompt of one name.
 */
export async function openCatalogue(
  { store }: Pick<Runtime, 'store'>,
  { home, time, unexpected, additions }: CatalogueOptions,
): Promise<McpCatalogue> {
  const { instructions } = allDefinitions(await Promise.all(additions.map(async (addition) => addition.definitions())))
  const added = await Promise.all(additions.map(async (addition) => addition.open()))
  const tools = [...added.flatMap((each) => each.tools ?? []), assembleTool(unexpected)]
  const prompts = [...added.flatMap((each) => each.prompts ?? []), explainCall(store)]
  for (const offered of [tools, prompts]) checkNames(offered.map(({ definition }) => definition.name))
  return {
    instructions,
    tools,
    resources: pagedResources([...added.flatMap(({ resources = [] }) => resources), ...ownResources(store)]),
    prompts,
    refusal: refusalIn(home),
    refused: mcpAudit({ store, time }).refused,
  }
}

function checkNames(names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`Two capabilities offer ${twice} over MCP. Leave one of them out.`)
}
