import type { Configuration } from '../../../runtime.ts'
import type { CheckContext, Finding } from '../../../capability.ts'
import { loadKnownSkills } from '../known-skills.ts'
import { readReach, reachText } from '../skills-reach.ts'
import { ok, problem, warning } from '../../../cli.ts'
import { errorMessage } from '../../../platform.ts'

/** Which skills load and reach the model, and which do not and why. A disabled skill is no warning. */
export async function skillsFindings(context: CheckContext<Configuration['skills']>): Promise<readonly Finding[]> {
  const { skills, left, warnings } = await loadKnownSkills({ ...context, mcp: context.settingsOf('mcp') })
  const count = skills.length === 1 ? 'one skill' : `${skills.length} skills`
  const off = left.filter(({ code }) => code === 'disabled').length
  const missed = left.filter(({ code }) => code !== 'disabled')
  return [
    ok('skills', `${count}${off === 0 ? '' : `, ${off} disabled`}`),
    ...(skills.length === 0 ? [] : [await reachFinding(context, skills.length)]),
    ...missed.map(({ ref, why }) =>
      warning('skills', `${ref} is left out: ${why}`, 'List all skills with `foreword skills`.'),
    ),
    ...warnings.map((text) => warning('skills', text, 'Find file and line with `foreword skills check FOLDER`.')),
  ]
}

const FEWER = 'Disable skills that you do not need in `skills.disabled`, or use a model with a larger window.'

async function reachFinding({ get }: Pick<CheckContext, 'get'>, loaded: number): Promise<Finding> {
  try {
    const reach = await readReach(get, loaded)
    const isNamed = reach.form !== 'search' && reach.form !== 'none'
    if (isNamed && reach.but === undefined) return ok('skills', reachText(reach))
    return warning('skills', reachText(reach), reach.hint ?? FEWER)
  } catch (error) {
    const message = errorMessage(error)
    if ((error as { code?: unknown }).code === 'context-overflow') {
      return problem('skills', `no skill reaches the model, since no request fits: ${message}`, FEWER)
    }
    return warning('skills', `unknown which skills reach the model: ${message}`, 'Fix that first.')
  }
}
