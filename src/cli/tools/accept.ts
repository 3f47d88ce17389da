import { type ToolDefinition, exactLine, exactLines } from '../../context.ts'
import { requestJson, apiPath } from '../answer.ts'
import { confirmAction } from '../approval/asking.ts'
import type { CommandCall, Io, WithheldTool } from '../../capability.ts'
import { withConnection } from '../connection.ts'
import { CommandFailure } from '../failure.ts'
import { applyStyle, note, print, printJson } from '../io.ts'
import { lineDiff } from '../line-diff.ts'
import { describeChange, fetchTools, findTool } from './tool-table.ts'

/** Shows how the definition of a tool has changed, asks, and accepts exactly what was shown. */
export async function acceptDefinition(call: CommandCall, io: Io): Promise<number> {
  const name = call.words[1]!
  return await withConnection(call.home, io, 'write', async (connection) => {
    const { withheld } = findTool(name, await fetchTools(connection))
    if (withheld === undefined) {
      throw new CommandFailure(
        'not-withheld',
        `${name} is not withheld; its definition has not changed since it was accepted.`,
      )
    }
    if (!call.json) {
      print(io, `${applyStyle(io, 'bold', exactLine(name))} ${describeChange(withheld)}:`)
      print(io, await withheldDiff(withheld, io))
    }
    if (!(await confirmAction('Accept it?', call, io, 'Accept the difference with `--yes`.'))) {
      note(io, 'Nothing was accepted.')
      return 1
    }
    const { digest } = withheld
    await requestJson(connection, apiPath('/api/tools/', name, '/accept'), { method: 'POST', body: { digest } })
    if (call.json) printJson(io, { accepted: name, digest })
    else note(io, `Accepted ${exactLine(name)} as it is offered now.`)
    return 0
  })
}

/** The two definitions as JSON, or the files that declare the tool, line by line. */
async function withheldDiff({ accepted, offered, declared }: WithheldTool, io: Io): Promise<string> {
  const [before, after] = declared
    ? [exactLines(declared.accepted ?? ''), exactLines(declared.offered)]
    : [definitionJson(accepted), definitionJson(offered)]
  const changes = await lineDiff(before, after)
  return changes
    .map(({ kind, line }) => {
      if (kind === 'same') return `    ${line}`
      return kind === 'gone' ? `  ${applyStyle(io, 'red', `- ${line}`)}` : `  ${applyStyle(io, 'green', `+ ${line}`)}`
    })
    .join('\n')
}

function definitionJson(definition: ToolDefinition | undefined): string {
  return definition === undefined ? '' : exactLines(JSON.stringify(definition, null, 2))
}
