import { exactLine } from '../../context.ts'
import type { AccessPreview, CommandCall, Io, ToolTrial, TrialAnswer } from '../../capability.ts'
import { requestJson } from '../answer.ts'
import { withConnection } from '../connection.ts'
import { applyStyle, print, printJson, safeForTerminal } from '../io.ts'

/** Prints whether a model may run a command, and which preset or prefix decides. Runs nothing. Exits with 1 where it may not. */
export async function tryCommand(call: CommandCall, io: Io): Promise<number> {
  const words = call.words.slice(1)
  const command = words.length === 1 ? words[0]! : words.map(quotedWord).join(' ')
  const answer = await withConnection(call.home, io, 'read', async (connection) => {
    const { trial } = await requestJson<AccessPreview>(connection, '/api/tool-access/preview', {
      method: 'POST',
      body: { trial: { tool: 'shell', command } },
    })
    // The plan knows the disk, and the policy as far as it was accepted.
    const plan = await requestJson<ToolTrial>(connection, '/api/tools/shell/plan', {
      method: 'POST',
      body: { input: { cmd: command } },
    })
    return answerOf(trial!.before, plan)
  })
  if (call.json) printJson(io, { command, ...answer })
  else print(io, answerText(answer, io))
  return answer.access === 'refused' ? 1 : 0
}

function answerOf(trial: TrialAnswer, plan: ToolTrial): TrialAnswer {
  if (plan.type === 'refused') {
    return trial.access === 'refused' ? trial : { access: 'refused', rule: plan.rule, reason: plan.error }
  }
  const preset = plan.call.facts?.['preset']
  if (typeof preset === 'string') return { access: plan.type, rule: `tools.shell.presets ${JSON.stringify(preset)}` }
  return { access: plan.type, rule: trial.access === 'refused' ? plan.rule : trial.rule }
}

function answerText({ access, rule, reason }: TrialAnswer, io: Io): string {
  const title = { allowed: 'allowed', ask: 'allowed after your approval', refused: 'refused' }[access]
  const isFree = access !== 'refused' && rule.startsWith('tools.shell.allowedPrefixes')
  return [
    `${applyStyle(io, access === 'refused' ? 'red' : 'green', title)} (${exactLine(rule)})`,
    ...(reason === undefined ? [] : [`  ${safeForTerminal(reason, io.stdout)}`]),
    ...(isFree ? ['  Any argument may follow this prefix.'] : []),
  ].join('\n')
}

function quotedWord(word: string): string {
  return /^[\w./:@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
