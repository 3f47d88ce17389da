import { type Command, type CommandCall, jsonOption } from '../command.ts'
import { usageFailure } from '../failure.ts'
import { refuseTools } from '../for-persons.ts'
import type { Io } from '../io.ts'
import { nearestName } from '../nearest-name.ts'
import { acceptDefinition } from '../tools/accept.ts'
import { allowTools, denyTools } from '../tools/change-access.ts'
import { listTools } from '../tools/list.ts'
import { showTool } from '../tools/show.ts'
import { testTool } from '../tools/test.ts'

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
    'step of any turn on. `test` shows what exactly a call would do before it runs. `accept` shows how the definition of a ' +
    'tool has changed since it was accepted: until then it is not offered.',
  words: { least: 0, most: Infinity },
  options: {
    plan: { summary: 'only show what a call would do' },
    yes: { summary: 'run or accept without asking' },
    json: { ...jsonOption, summary: 'print JSON: one tool per line, or the plan and the result of a test' },
  },
  run: async (call, io) => await actionOf(call, io)(call, io),
}

/** One action on tools; the words behind it name tools. */
interface Action {
  /** How many words follow its name. */
  readonly least: number
  readonly most: number
  /** What a model would do with it; absent where it may. */
  readonly forPersons?: string
  readonly run: (call: CommandCall, io: Io) => Promise<number>
}

const actions: Readonly<Record<string, Action>> = {
  list: { least: 0, most: 0, run: listTools },
  show: { least: 1, most: 1, run: showTool },
  test: { least: 1, most: 2, forPersons: 'run a tool past its own turn', run: testTool },
  allow: { least: 1, most: Infinity, forPersons: 'allow itself a tool', run: allowTools },
  deny: { least: 1, most: Infinity, forPersons: 'change what may run', run: denyTools },
  accept: { least: 1, most: 1, forPersons: 'accept a tool', run: acceptDefinition },
}

function actionOf(call: CommandCall, io: Io): Action['run'] {
  const [name = 'list', ...words] = call.words
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) {
    const near = nearestName(name, Object.keys(actions))
    throw usageFailure(
      `\`foreword tools\` cannot \`${name}\`.`,
      near === undefined ? `It can ${Object.keys(actions).join(', ')}.` : `Did you mean \`foreword tools ${near}\`?`,
    )
  }
  if (words.length < action.least || words.length > action.most) {
    const usage = tools.usage.find((line) => line.startsWith(`tools ${name} `)) ?? 'tools list'
    const count = words.length < action.least ? 'more' : 'fewer'
    throw usageFailure(`\`foreword tools ${name}\` takes ${count} words.`, `Write \`foreword ${usage}\`.`)
  }
  if (action.forPersons !== undefined) refuseTools(io, action.forPersons)
  return action.run
}
