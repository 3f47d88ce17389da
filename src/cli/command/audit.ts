import { exportAudit } from '../audit/export.ts'
import { filterOptions } from '../audit/filter.ts'
import { listAudit } from '../audit/list.ts'
import { verifyAudit } from '../audit/verify.ts'
import { jsonOption } from '../command.ts'
import type { Command, CommandCall, Io } from '../../capability.ts'
import { usageFailure } from '../failure.ts'
import { nearestName } from '../../platform.ts'

export const audit: Command = {
  name: 'audit',
  summary: 'list, verify and export what tools were asked to do, and who decided',
  usage: [
    'audit [list] [--session ID] [--turn ID] [--tool NAME] [--decision WORD] [--since WHEN] [--last N] [--json]',
    'audit verify [--json]',
    'audit export [--output FILE] [--session ID] [--turn ID] [--tool NAME] [--decision WORD] [--since WHEN] [--last N]',
  ],
  details:
    'Every decision and every call is a record, the refused ones too, and each record holds the hash of the one before. ' +
    'Verify names the first record that was changed, taken out or moved, and then ends with exit code 1. Export writes JSON ' +
    'Lines, complete records, oldest first. Works with and without a running gateway.',
  words: { least: 0, most: 1 },
  options: {
    ...filterOptions,
    output: { value: 'FILE', summary: 'export to a file instead of the standard output' },
    json: jsonOption,
  },
  run: (call, io) => actionOf(call)(call, io),
}

type Action = (call: CommandCall, io: Io) => Promise<number>

const actions: Readonly<Record<string, Action>> = { list: listAudit, verify: verifyAudit, export: exportAudit }

function actionOf(call: CommandCall): Action {
  const [name = 'list'] = call.words
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) {
    const near = nearestName(name, Object.keys(actions))
    throw usageFailure(
      `\`foreword audit\` cannot \`${name}\`.`,
      near === undefined ? `It can ${Object.keys(actions).join(', ')}.` : `Did you mean \`foreword audit ${near}\`?`,
    )
  }
  if (call.has('output') && name !== 'export') {
    throw usageFailure('--output goes with an export.', 'Write `foreword audit export --output FILE`.')
  }
  const filter = name === 'verify' ? Object.keys(filterOptions).find((option) => call.has(option)) : undefined
  if (filter !== undefined) throw usageFailure(`Verify examines the whole chain: it takes no --${filter}.`)
  return action
}
