import type { ToolStatus } from '../../runtime.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { connected } from '../connection.ts'
import { exactLine, exactLines } from '../exact-text.ts'
import { print, printJson } from '../io.ts'
import { styled } from '../style.ts'
import { accessWord, changeText, fetchTools, toolNamed } from './tool-table.ts'

/** One tool: what the model is told of it, and whether it may call it. */
export async function showTool(call: CommandCall, io: Io): Promise<number> {
  const tool = toolNamed(call.words[1]!, await connected(call.home, io, 'read', fetchTools))
  if (call.json) printJson(io, tool)
  else print(io, toolText(tool, io))
  return 0
}

function toolText(tool: ToolStatus, io: Io): string {
  const { name, description, from, rule, reason, offeredWith, offeredWhile, offeredIn, withheld, inputSchema } = tool
  const label = (word: string) => styled(io, 'dim', word.padEnd(9))
  const lines = [
    styled(io, 'bold', exactLine(name)),
    `${label('from')}${exactLine(from)}`,
    `${label('access')}${accessWord(tool)} (${exactLine(rule)})${reason === undefined ? '' : `: ${exactLine(reason)}`}`,
  ]
  if (offeredWith !== undefined) {
    lines.push(`${label('offered')}where ${exactLine(offeredWith.layer)} stands as ${exactLine(offeredWith.form)}`)
  }
  if (offeredWhile !== undefined) {
    const { what, isSo } = offeredWhile
    lines.push(`${label('offered')}while ${exactLine(what)}${isSo ? '' : ', which is not so now'}`)
  }
  if (offeredIn !== undefined) lines.push(`${label('offered')}in ${exactLine(offeredIn)}`)
  if (withheld !== undefined) {
    lines.push(`${label('withheld')}it ${changeText(withheld)}; \`foreword tools accept ${exactLine(name)}\` shows how`)
  }
  if (description !== undefined) lines.push('', exactLines(description))
  lines.push('', exactLines(JSON.stringify(inputSchema, null, 2)))
  return lines.join('\n')
}
