import { hash } from 'node:crypto'
import type { ToolDefinition } from '../../context.ts'
import type { WithheldTool } from '../../capability.ts'
import type { McpDefinition } from './definition.ts'
import { offeredName } from '../../capability.ts'

/** A difference as the owner is shown it: whole descriptions, and annotations too, since what is accepted includes them. */
export function withheldTool(
  server: string,
  accepted: McpDefinition | undefined,
  offered: McpDefinition | undefined,
  digest: string,
): WithheldTool {
  const name = offeredName(server, (offered ?? accepted)!.name)
  return {
    name,
    accepted: accepted && shown(name, accepted),
    offered: offered && shown(name, offered),
    digest,
  }
}

/** What the owner accepts who lets a tool go. */
export function goneDigest(tool: string): string {
  return hash('sha256', JSON.stringify({ gone: tool }), 'hex')
}

function shown(name: string, definition: McpDefinition): ToolDefinition {
  return { ...definition, name }
}
