import type { Tool } from '../../tool.ts'
import type { McpDefinition } from './definition.ts'
import type { McpServer } from './server.ts'
import { offeredName } from '../../capability.ts'

/** Tools as they are offered until the next time they are published. */
export interface PublishedTools {
  readonly tools: readonly Tool[]
  readonly warnings: readonly string[]
}

/** The most of a description that is sent, characters. */
const LONGEST_DESCRIPTION = 1_024

/** Servers in their order, tools by name. Of two that come to one name the first is offered. */
export function publishedTools(servers: readonly McpServer[]): PublishedTools {
  const all = servers.flatMap((server) => server.offered().map((definition) => toolOf(server, definition)))
  const first = new Map(all.toReversed().map((tool) => [tool.name, tool]))
  return {
    tools: all.filter((tool) => first.get(tool.name) === tool),
    warnings: all
      .filter((tool) => first.get(tool.name) !== tool)
      .map(({ name }) => `the name ${name} is taken by another tool: the second one is left out`),
  }
}

/**
 * Not idempotent, whatever its hints say: they are the server's own words about itself. Where the tool comes from stands
 * in its name, which costs no tokens of its own.
 */
function toolOf(server: McpServer, definition: McpDefinition): Tool {
  const { name, description, inputSchema } = definition
  return {
    name: offeredName(server.name, name),
    ...(description !== undefined && { description: shortened(description) }),
    inputSchema,
    origin: 'tool',
    execute: (input, { signal }) => server.call(definition, input, signal),
  }
}

function shortened(description: string): string {
  const whole = description.toWellFormed()
  if (whole.length <= LONGEST_DESCRIPTION) return whole
  return `${whole.slice(0, LONGEST_DESCRIPTION - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
