import type { Configuration } from '../../../runtime.ts'
import type { CheckContext, Finding } from '../../../capability.ts'
import { loadKnownSkills } from './known-skills.ts'
import { readReach, reachText, type SkillsReach } from './skills-reach.ts'
import { ok, problem, warning } from '../../../cli.ts'
import { errorMessage } from '../../../platform.ts'

/** What loads and reaches the model, and what does not and why. A skill that was switched off on purpose is no warning. */
export async function skillsFindings(context: CheckContext<Configuration['skills']>): Promise<readonly Finding[]> {
  const { home, workspace, environment, settings } = context
  const { servers = {} } = (context.settingsOf('mcp') ?? {}) as Partial<Configuration['mcp']>
  const configuration = { agent: { workspace }, mcp: { servers }, skills: settings }
  const { skills, left, warnings } = await loadKnownSkills(home, configuration, { environment })
  const count = skills.length === 1 ? 'one skill' : `${skills.length} skills`
  const off = left.filter(({ code }) => code === 'disabled').length
  const missed = left.filter(({ code }) => code !== 'disabled')
  return [
    ok('skills', `${count}${off === 0 ? '' : `, ${off} disabled`}`),
    ...(skills.length === 0 ? [] : [await reachFinding(context, skills.length)]),
    ...missed.map(({ ref, why }) =>
      warning('skills', `${ref} is left out: ${why}`, '`foreword skills` lists them all.'),
    ),
    ...warnings.map((text) => warning('skills', text, '`foreword skills check FOLDER` names file and line.')),
  ]
}

const FEWER = 'Name those that are not needed in `skills.disabled`, or use a model with a larger window.'

async function reachFinding({ get }: Pick<CheckContext, 'get'>, loaded: number): Promise<Finding> {
  try {
    const reach = await readReach(get, loaded)
    return isComplete(reach) ? ok('skills', reachText(reach)) : warning('skills', reachText(reach), reach.hint ?? FEWER)
  } catch (error) {
    const message = errorMessage(error)
    if ((error as { code?: unknown }).code === 'context-overflow') {
      return problem('skills', `none reaches the model, since no request can be made: ${message}`, FEWER)
    }
    return warning('skills', `what reaches the model cannot be said: ${message}`, 'Correct what is named there first.')
  }
}

function isComplete({ form, but }: SkillsReach): boolean {
  return but === undefined && (form === 'full' || form === 'list' || form === 'names')
}
