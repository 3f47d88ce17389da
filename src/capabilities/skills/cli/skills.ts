import { jsonOption, runSubcommand, type Subcommand } from '../../../cli.ts'
import type { Command } from '../../../capability.ts'
import { checkSkills } from './check.ts'
import { listSkills } from './list.ts'
import { newSkill } from './new.ts'
import { showSkill } from './show.ts'
import { trustSkills } from './trust.ts'

export const skills: Command = {
  name: 'skills',
  summary: 'list, show, check and begin skills',
  usage: [
    'skills [list] [--json]',
    'skills show NAME [--json]',
    'skills check [FOLDER…] [--json]',
    'skills new NAME [--json]',
    'skills trust [FOLDER] [--json]',
  ],
  details:
    'The list says what each skill costs, in full and as a line of the list, and which skills are not loaded and why. ' +
    '`check` holds folders against the Agent Skills standard, all skills unless folders are named. `trust` lets the ' +
    'skills in `.agents/skills` of a workspace be loaded. Works with and without a running gateway, which reads skills ' +
    'at its start and at `foreword reload`.',
  words: { least: 0, most: Infinity },
  options: { json: jsonOption },
  run: (call, io) => runSubcommand(skills, subcommands, 'list', call, io),
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  list: { least: 0, most: 0, run: listSkills },
  show: { least: 1, most: 1, run: showSkill },
  check: { least: 0, most: Infinity, run: checkSkills },
  new: { least: 1, most: 1, run: newSkill },
  trust: { least: 0, most: 1, forPersons: 'trust a workspace', run: trustSkills },
}
