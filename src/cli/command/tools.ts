import { answerCommand } from '../gateway-commands.ts'
import { exactLine, exactLines, type ToolDefinition } from '../../context.ts'
import type {
  AccessView,
  CommandCall,
  GatewayConnection,
  Io,
  AccessPreview,
  ToolTrial,
  TrialAnswer,
  WithheldTool,
} from '../../capability.ts'
import type { RuntimeStatus, ToolStatus } from '../../runtime.ts'
import { requestJson, apiPath } from '../answer.ts'
import { jsonOption } from '../arguments.ts'
import { withConnection } from '../connection.ts'
import { lineLimit, note, print, printJson, applyStyle, safeForTerminal, printChange } from '../io.ts'
import { commandWithSubcommands } from '../subcommand.ts'
import { allowTools, denyTools } from '../tools/change-access.ts'
import { showPresets } from '../tools/presets.ts'
import { fetchTokenScale } from '../preview.ts'
import { toolAccess, describeChange, fetchTools, findTool, toolTable } from '../tools/tool-table.ts'
import type { ToolResult } from '../../tool.ts'
import { errorMessage, shellWords } from '../../platform.ts'
import { confirmAction, isInteractive } from '../approval/asking.ts'
import { callText } from '../approval/waiting.ts'
import { usageFailure, CommandFailure } from '../failure.ts'
import { lineDiff } from '../line-diff.ts'

export const toolsCommand = commandWithSubcommands({
  name: 'tools',
  group: 'set-up',
  summary: 'list, test, allow and deny tools, and explain presets of commands',
  details:
    '`tool-access.json` in the home defines what may run. `allow` and `deny` edit it; a change takes effect at the next ' +
    "step of any turn. A name that ends in `*`, such as 'read_*', matches all tools that begin with it. " +
    '`test` shows exactly what a call would do before it runs. `accept` shows how the definition of a ' +
    'tool has changed since it was accepted; until then the tool is not offered. `presets` explains the packaged commands ' +
    'that `tools.shell.presets` can name. `try` says whether a model may run a command, and which preset or prefix decides: ' +
    '`foreword tools try -- git log -5`.',
  options: {
    plan: { summary: 'show what the call would do without running it' },
    yes: { summary: 'run or accept without asking' },
    json: { ...jsonOption, summary: 'print one tool per line, or the plan and result of a test' },
  },
  first: 'list',
  subcommands: {
    list: { usage: '[--json]', run: listTools },
    show: {
      usage: 'NAME [--json]',
      run: answerCommand(async (connection, { words }) => findTool(words[1]!, await fetchTools(connection)), toolText),
    },
    test: { usage: 'NAME [JSON] [--plan] [--yes] [--json]', forPersons: 'run a tool outside its turn', run: testTool },
    allow: { usage: 'NAME… [--json]', forPersons: 'allow tools', run: allowTools },
    deny: { usage: 'NAME… [--json]', forPersons: 'deny tools', run: denyTools },
    presets: { usage: '[NAME] [--json]', run: showPresets },
    try: { usage: 'COMMAND… [--json]', forPersons: 'try a command', run: tryCommand },
    accept: { usage: 'NAME [--yes] [--json]', forPersons: 'accept a tool', run: acceptDefinition },
  },
})

/** Warnings about the policy and about servers that provide no tools. */
const isAboutTools = (warning: string) => warning.startsWith('tool-access.json: ') || warning.startsWith('mcp: ')

async function listTools(call: CommandCall, io: Io): Promise<number> {
  const { tools, sized, warnings, free } = await withConnection(call.home, io, 'read', async (connection) => ({
    tools: await fetchTools(connection),
    sized: call.json ? (counted: number) => counted : await fetchTokenScale(connection),
    warnings: call.json ? [] : (await requestJson<Pick<RuntimeStatus, 'warnings'>>(connection, '/api/status')).warnings,
    free: call.json ? [] : await freePrefixes(connection),
  }))
  if (call.json) for (const tool of tools) printJson(io, tool)
  else if (tools.length === 0) note(io, 'No tools yet. Capabilities and MCP servers provide them.')
  else print(io, await toolTable(tools, sized, lineLimit(io)))
  for (const warning of warnings.filter(isAboutTools)) note(io, exactLine(warning), 'yellow')
  if (free.length > 0 && tools.some(({ name, access }) => name === 'shell' && access !== 'refused')) {
    const names = free.map((prefix) => JSON.stringify(prefix)).join(', ')
    note(io, `Any argument may follow ${names} in shell. Presets know their arguments: \`foreword tools presets\`.`)
  }
  return 0
}

/** Prefixes of commands in the policy; none where a token may not read it. */
async function freePrefixes(connection: GatewayConnection): Promise<readonly string[]> {
  try {
    const { rules, policy } = await requestJson<AccessView>(connection, '/api/tool-access')
    if (policy?.shell.mode !== 'allowlist') return []
    return rules.flatMap(({ rule, name }) => (rule === 'tools.shell.allowedPrefixes' ? [name] : []))
  } catch {
    return []
  }
}

/** What becomes of a call after texts of others, as a sentence. */
function untrustedText({ value, rule, addresses, unlessConfined }: NonNullable<ToolStatus['afterUntrusted']>): string {
  const what = { ask: 'asks', refuse: 'is refused', allow: 'may run' }[value]
  const which = addresses && value !== 'allow' ? ' about addresses that nobody named' : unlessConfined ? UNCONFINED : ''
  return `${what}${which} once the model has read texts of others${rule === undefined ? '' : ` (${exactLine(rule)})`}`
}

const UNCONFINED = ' about programs that are not confined to the workspace without network'

function toolText(tool: ToolStatus, io: Io): string {
  const { name, description, from, rule, reason, afterUntrusted, withheld, inputSchema } = tool
  const { offeredWith, offeredWhile, offeredIn } = tool
  const label = (word: string) => applyStyle(io, 'dim', word.padEnd(9))
  const lines = [
    applyStyle(io, 'bold', exactLine(name)),
    `${label('from')}${exactLine(from)}`,
    `${label('access')}${toolAccess(tool)} (${exactLine(rule)})${reason === undefined ? '' : `: ${exactLine(reason)}`}`,
  ]
  if (afterUntrusted !== undefined) lines.push(`${label('taint')}${untrustedText(afterUntrusted)}`)
  if (offeredWith !== undefined) {
    lines.push(
      `${label('offered')}if the layer ${exactLine(offeredWith.layer)} is included as ${exactLine(offeredWith.form)}`,
    )
  }
  if (offeredWhile !== undefined) {
    const { what, isSo } = offeredWhile
    lines.push(`${label('offered')}while ${exactLine(what)}${isSo ? '' : ' (not now)'}`)
  }
  if (offeredIn !== undefined) lines.push(`${label('offered')}in ${exactLine(offeredIn)}`)
  if (withheld !== undefined) {
    lines.push(
      `${label('withheld')}it ${describeChange(withheld)}; show how with \`foreword tools accept ${exactLine(name)}\``,
    )
  }
  if (description !== undefined) lines.push('', exactLines(description))
  lines.push('', exactLines(JSON.stringify(inputSchema, null, 2)))
  return lines.join('\n')
}

/** Prints whether a model may run a command, and which preset or prefix decides. Runs nothing. Exits with 1 where it may not. */
async function tryCommand(call: CommandCall, io: Io): Promise<number> {
  const words = call.words.slice(1)
  const command = words.length === 1 ? words[0]! : shellWords(words)
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

/** Shows what a call would do, asks, and runs exactly that under the policy for calls of a model. */
async function testTool(call: CommandCall, io: Io): Promise<number> {
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
    const hint = 'Run the call with `--yes`, or only show it with `--plan`.'
    if (!(await confirmAction('Run it?', 'Nothing was run.', call, io, hint))) return 1
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

/** Shows how the definition of a tool has changed, asks, and accepts exactly what was shown. */
async function acceptDefinition(call: CommandCall, io: Io): Promise<number> {
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
    const hint = 'Accept the difference with `--yes`.'
    if (!(await confirmAction('Accept it?', 'Nothing was accepted.', call, io, hint))) return 1
    const { digest } = withheld
    await requestJson(connection, apiPath('/api/tools/', name, '/accept'), { method: 'POST', body: { digest } })
    return printChange({ accepted: name, digest }, `Accepted ${exactLine(name)} as it is offered now.`, call, io)
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
