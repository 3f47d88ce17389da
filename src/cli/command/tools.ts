import { exactLine, exactLines } from '../../context.ts'
import type { AccessView, CommandCall, GatewayConnection, Io } from '../../capability.ts'
import type { RuntimeStatus, ToolStatus } from '../../runtime.ts'
import { requestJson } from '../answer.ts'
import { jsonOption } from '../arguments.ts'
import { withConnection } from '../connection.ts'
import { lineLimit, note, print, printJson, applyStyle } from '../io.ts'
import { commandWithSubcommands } from '../subcommand.ts'
import { acceptDefinition } from '../tools/accept.ts'
import { allowTools, denyTools } from '../tools/change-access.ts'
import { showPresets } from '../tools/presets.ts'
import { testTool } from '../tools/test.ts'
import { toolAccess, describeChange, fetchTools, findTool, toolTable } from '../tools/tool-table.ts'
import { tryCommand } from '../tools/try.ts'

export const toolsCommand = commandWithSubcommands({
  name: 'tools',
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
    show: { usage: 'NAME [--json]', run: showTool },
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

/** Prints every tool, offered or not, and why. */
async function listTools(call: CommandCall, io: Io): Promise<number> {
  const { tools, warnings, free } = await withConnection(call.home, io, 'read', async (connection) => ({
    tools: await fetchTools(connection),
    warnings: call.json ? [] : (await requestJson<Pick<RuntimeStatus, 'warnings'>>(connection, '/api/status')).warnings,
    free: call.json ? [] : await freePrefixes(connection),
  }))
  if (call.json) for (const tool of tools) printJson(io, tool)
  else if (tools.length === 0) note(io, 'No tools yet. Capabilities and MCP servers provide them.')
  else print(io, await toolTable(tools, lineLimit(io)))
  for (const warning of warnings.filter(isAboutTools)) note(io, applyStyle(io, 'yellow', exactLine(warning), io.stderr))
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

/** Prints one tool: what the model reads about it, and whether it may call it. */
async function showTool(call: CommandCall, io: Io): Promise<number> {
  const tool = findTool(call.words[1]!, await withConnection(call.home, io, 'read', fetchTools))
  if (call.json) printJson(io, tool)
  else print(io, toolText(tool, io))
  return 0
}

/** What becomes of a call after texts of others, as a sentence. */
function untrustedText({ value, rule, addresses }: NonNullable<ToolStatus['afterUntrusted']>): string {
  const what = { ask: 'asks', refuse: 'is refused', allow: 'may run' }[value]
  const which = addresses && value !== 'allow' ? ' about addresses that nobody named' : ''
  return `${what}${which} once the model has read texts of others${rule === undefined ? '' : ` (${exactLine(rule)})`}`
}

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
