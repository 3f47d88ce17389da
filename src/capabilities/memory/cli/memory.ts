import { jsonOption, runSubcommand, type Subcommand } from '../../../cli.ts'
import type { Command, CommandCall, Io } from '../../../capability.ts'
import { forgetSession } from './forget.ts'
import { showMemory } from './show.ts'

export const memory: Command = {
  name: 'memory',
  summary: 'show what a session is given of earlier ones, and forget',
  usage: ['memory [show] [SESSION] [--input TEXT] [--json]', 'memory forget SESSION [--yes] [--json]'],
  details:
    'SESSION is an id, the beginning of one, or `last`; the newest one unless given. A session is given a summary of the last session of its conversation, and ' +
    'earlier calls of tools that its next message finds: in the layout `ayati`, and where `context.memory` says so. `forget` ' +
    'removes what other sessions were given of one, for good; the session itself stays until `foreword sessions delete`.',
  words: { least: 0, most: Infinity },
  options: {
    input: { value: 'TEXT', summary: 'show: the next message, which finds earlier calls of tools' },
    yes: { summary: 'forget: do not ask' },
    json: jsonOption,
  },
  run: (call: CommandCall, io: Io) => runSubcommand(memory, subcommands, 'show', call, io),
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  show: { least: 0, most: 1, run: showMemory },
  forget: { least: 1, most: 1, forPersons: 'forget sessions', run: forgetSession },
}
