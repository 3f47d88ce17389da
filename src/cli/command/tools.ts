import { jsonOption } from '../command.ts'
import type { Command } from '../../capability.ts'
import { acceptDefinition } from '../tools/accept.ts'
import { allowTools, denyTools } from '../tools/change-access.ts'
import { listTools } from '../tools/list.ts'
import { showTool } from '../tools/show.ts'
import { testTool } from '../tools/test.ts'
import { runSubcommand, type Subcommand } from '../subcommand.ts'

export const tools: Command = {
  name: 'tools',
  summary: 'list, try, allow and deny tools',
  usage: [
    'tools [list] [--json]',
    'tools show NAME [--json]',
    'tools test NAME [JSON] [--plan] [--yes] [--json]',
    'tools allow NAME… [--json]',
    'tools deny NAME… [--json]',
    'tools accept NAME [--yes] [--json]',
  ],
  details:
    'What may run stands in `tool-access.json` of the home; `allow` and `deny` edit it, and a change holds from the next ' +
    "step of any turn on. A name that ends in `*`, such as 'read_*', stands for all that begin so. " +
    '`test` shows what exactly a call would do before it runs. `accept` shows how the definition of a ' +
    'tool has changed since it was accepted: until then it is not offered.',
  words: { least: 0, most: Infinity },
  options: {
    plan: { summary: 'only show what a call would do' },
    yes: { summary: 'run or accept without asking' },
    json: { ...jsonOption, summary: 'print JSON: one tool per line, or the plan and the result of a test' },
  },
  run: (call, io) => runSubcommand(tools, subcommands, 'list', call, io),
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  list: { least: 0, most: 0, run: listTools },
  show: { least: 1, most: 1, run: showTool },
  test: { least: 1, most: 2, forPersons: 'run a tool past its own turn', run: testTool },
  allow: { least: 1, most: Infinity, forPersons: 'allow itself a tool', run: allowTools },
  deny: { least: 1, most: Infinity, forPersons: 'change what may run', run: denyTools },
  accept: { least: 1, most: 1, forPersons: 'accept a tool', run: acceptDefinition },
}
