import { type Command, type CommandCall, jsonOption } from '../command.ts'
import { usageFailure } from '../failure.ts'
import { refuseTools } from '../for-persons.ts'
import type { Io } from '../io.ts'
import { nearestName } from '../nearest-name.ts'
import { checkSkills } from '../skills/check.ts'
import { listSkills } from '../skills/list.ts'
import { newSkill } from '../skills/new.ts'
import { showSkill } from '../skills/show.ts'
import { trustSkills } from '../skills/trust.ts'

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
  run: async (call, io) => await actionOf(call, io)(call, io),
}

/** One action on skills; the words behind it name skills or folders. */
interface Action {
  /** How many words follow its name. */
  readonly least: number
  readonly most: number
  /** What a model would do with it; absent where it may. */
  readonly forPersons?: string
  readonly run: (call: CommandCall, io: Io) => Promise<number>
}

const actions: Readonly<Record<string, Action>> = {
  list: { least: 0, most: 0, run: listSkills },
  show: { least: 1, most: 1, run: showSkill },
  check: { least: 0, most: Infinity, run: checkSkills },
  new: { least: 1, most: 1, run: newSkill },
  trust: { least: 0, most: 1, forPersons: 'trust a workspace', run: trustSkills },
}

function actionOf(call: CommandCall, io: Io): Action['run'] {
  const [name = 'list', ...words] = call.words
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) {
    const near = nearestName(name, Object.keys(actions))
    throw usageFailure(
      `\`foreword skills\` cannot \`${name}\`.`,
      near === undefined ? `It can ${Object.keys(actions).join(', ')}.` : `Did you mean \`foreword skills ${near}\`?`,
    )
  }
  if (words.length < action.least) throw usageFailure(`\`foreword skills ${name}\` needs the name of a skill.`)
  if (words.length > action.most) throw usageFailure(`\`foreword skills ${name}\` takes fewer words.`)
  if (action.forPersons !== undefined) refuseTools(io, action.forPersons)
  return action.run
}
