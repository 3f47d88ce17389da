import { exactLine } from '../../context.ts'
import type { ToolTrial } from '../../runtime.ts'
import type { ToolResult } from '../../tool.ts'
import { errorMessage } from '../../platform.ts'
import { requestJson, apiPath } from '../answer.ts'
import { confirmAction, isInteractive } from '../approval/asking.ts'
import { callText } from '../approval/call-text.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { withConnection } from '../connection.ts'
import { usageFailure } from '../failure.ts'
import { applyStyle, note, print, printJson, safeForTerminal } from '../io.ts'

/** Shows what a call would do, asks, and runs exactly that under the policy for calls of a model. */
export async function testTool(call: CommandCall, io: Io): Promise<number> {
  const [, name, text] = call.words
  const input = parseInput(text)
  const runs = !call.has('plan') && (call.has('yes') || (!call.json && isInteractive(io)))
  const purpose = runs ? 'write' : 'read'
  return await withConnection(call.home, io, purpose, async (connection) => {
    const trial = await requestJson<ToolTrial>(connection, apiPath('/api/tools/', name!, '/plan'), {
      method: 'POST',
      body: { input },
    })
    if (!call.json) printTrial(trial, io)
    if (call.has('plan') || trial.type === 'refused') {
      if (call.json) printJson(io, trial)
      return trial.type === 'refused' ? 1 : 0
    }
    if (!(await confirmAction('Run it?', call, io, 'Run the call with `--yes`, or only show it with `--plan`.'))) {
      note(io, 'Nothing was run.')
      return 1
    }
    const result = await requestJson<ToolResult>(connection, apiPath('/api/tools/', name!, '/run'), {
      method: 'POST',
      body: { input, digest: trial.digest },
    })
    if (call.json) printJson(io, { plan: trial, result })
    else printResult(result, io)
    return result.ok ? 0 : 1
  })
}

function parseInput(text = '{}'): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = errorMessage(error)
    throw usageFailure(`Invalid JSON input: ${why}.`, `Write the input in quotes, such as \`'{"path": "notes.txt"}'\`.`)
  }
}

function printTrial(trial: ToolTrial, io: Io): void {
  if (trial.type === 'refused') {
    note(
      io,
      `${applyStyle(io, 'red', 'refused', io.stderr)} (${exactLine(trial.rule)}): ${safeForTerminal(trial.error, io.stderr)}`,
    )
    return
  }
  const access = trial.type === 'ask' ? 'a call of a model needs your approval' : 'a model may call it'
  print(io, `${callText(trial.call, io)}\n${applyStyle(io, 'dim', `  ${access} (${exactLine(trial.rule)})`)}`)
}

function printResult(result: ToolResult, io: Io): void {
  const { output = '' } = result
  if (output !== '') print(io, safeForTerminal(output.replace(/\n$/, ''), io.stdout))
  if (!result.ok) note(io, `${applyStyle(io, 'red', 'failed', io.stderr)}: ${safeForTerminal(result.error, io.stderr)}`)
}
