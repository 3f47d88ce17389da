import { jsonOption } from '../command.ts'
import type { Command, CommandCall, Io } from '../../capability.ts'
import { usageFailure } from '../failure.ts'
import { nearestName } from '../../platform.ts'
import { deleteSession } from '../sessions/delete.ts'
import { exportSession } from '../sessions/export.ts'
import { importSession } from '../sessions/import.ts'
import { listSessions } from '../sessions/list.ts'
import { showSession } from '../sessions/show.ts'

export const sessions: Command = {
  name: 'sessions',
  summary: 'list, show, export, import and delete sessions',
  usage: [
    'sessions [list] [--limit N] [--json]',
    'sessions show ID [--json]',
    'sessions export ID [--output FILE]',
    'sessions import FILE [--as ID]',
    'sessions delete ID [--yes]',
  ],
  details:
    'Export writes JSON Lines, complete and exact; import (`-` reads the standard input) makes the same session of them. ' +
    'Works with and without a running gateway.',
  words: { least: 0, most: 2 },
  options: {
    limit: { value: 'N', summary: 'list at most so many, 50 unless said' },
    output: { value: 'FILE', summary: 'export to a file instead of the standard output' },
    as: { value: 'ID', summary: 'import under another id' },
    yes: { summary: 'delete without asking' },
    json: jsonOption,
  },
  run: (call, io) => actionOf(call)(call, io),
}

/** One action on sessions; the word behind it names a session or a file. */
type Action = (call: CommandCall, io: Io) => Promise<number>

const actions: Readonly<Record<string, Action>> = {
  list: listSessions,
  show: showSession,
  export: exportSession,
  import: importSession,
  delete: deleteSession,
}

function actionOf(call: CommandCall): Action {
  const [name = 'list', word] = call.words
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) {
    const near = nearestName(name, Object.keys(actions))
    throw usageFailure(
      `\`foreword sessions\` cannot \`${name}\`.`,
      near === undefined ? `It can ${Object.keys(actions).join(', ')}.` : `Did you mean \`foreword sessions ${near}\`?`,
    )
  }
  if (name === 'list' && word !== undefined) throw usageFailure('A list takes no further word.')
  if (name !== 'list' && word === undefined) {
    const wanted = name === 'import' ? 'FILE' : 'ID'
    throw usageFailure(
      `\`foreword sessions ${name}\` needs one more word.`,
      `Write \`foreword sessions ${name} ${wanted}\`.`,
    )
  }
  return action
}
