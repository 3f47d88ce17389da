import type { McpServer } from '@agentclientprotocol/sdk'
import { realpath } from 'node:fs/promises'
import { exactLine } from '../../context.ts'
import { isWithin } from '../../platform.ts'

/** What a person has to know where the tools do not work in the folder that the editor has open. */
export async function folderNotice(cwd: string, workspace: string): Promise<string | undefined> {
  const [open, own] = await Promise.all([cwd, workspace].map(resolved))
  if (isWithin(own!, open!)) return undefined
  return (
    `The tools of this agent work in ${exactLine(workspace)}, not in ${exactLine(cwd)}. Files that you mention are read. ` +
    'To work in the open folder, start it with `foreword acp --workspace DIRECTORY`, with no gateway running on the same home.'
  )
}

/** What becomes of the MCP servers of the editor: Foreword starts only what its owner has configured. */
export function serverNotice(servers: readonly McpServer[]): string | undefined {
  if (servers.length === 0) return undefined
  const names = servers.map(({ name }) => exactLine(name)).join(', ')
  return `MCP servers of the editor are not started here: ${names}. Add those that the agent should use to \`mcp.servers\` in config.json.`
}

async function resolved(path: string): Promise<string> {
  return await realpath(path).catch(() => path)
}
