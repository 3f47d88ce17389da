import type { CommandCall } from '../command.ts'
import { connected } from '../connection.ts'
import { type Io, note, print, printJson } from '../io.ts'
import { fetchTools, toolTable } from './tool-table.ts'

/** Every tool, offered or not, and why. */
export async function listTools(call: CommandCall, io: Io): Promise<number> {
  const tools = await connected(call.home, io, 'read', fetchTools)
  if (call.json) for (const tool of tools) printJson(io, tool)
  else if (tools.length === 0) note(io, 'There are no tools.')
  else print(io, await toolTable(tools))
  return 0
}
