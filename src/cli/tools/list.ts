import type { RuntimeStatus } from '../../runtime.ts'
import { ask } from '../answer.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { connected } from '../connection.ts'
import { exactLine } from '../exact-text.ts'
import { lineLimit, note, print, printJson } from '../io.ts'
import { styled } from '../style.ts'
import { fetchTools, toolTable } from './tool-table.ts'

/** Why nothing may run, and which servers gave no tools. */
const isAboutTools = (warning: string) => warning.startsWith('tool-access.json: ') || warning.startsWith('mcp: ')

/** Every tool, offered or not, and why. */
export async function listTools(call: CommandCall, io: Io): Promise<number> {
  const { tools, warnings } = await connected(call.home, io, 'read', async (connection) => ({
    tools: await fetchTools(connection),
    warnings: call.json ? [] : (await ask<Pick<RuntimeStatus, 'warnings'>>(connection, '/api/status')).warnings,
  }))
  if (call.json) for (const tool of tools) printJson(io, tool)
  else if (tools.length === 0) note(io, 'There are no tools.')
  else print(io, await toolTable(tools, lineLimit(io)))
  for (const warning of warnings.filter(isAboutTools)) note(io, styled(io, 'yellow', exactLine(warning), io.stderr))
  return 0
}
