import type { Configuration } from '../../../runtime.ts'
import type { CheckContext, Finding, LintContext } from '../../../capability.ts'
import { loadKnownSkills, reachText, readReach } from '../known-skills.ts'
import { ok, problem, warning } from '../../../cli.ts'
import { errorMessage } from '../../../platform.ts'
import {
  calibratedFinding,
  LEAST_UNUSED,
  lintCost,
  type LintFinding,
  neutralLine,
  tokenx,
  phrase,
} from '../../../context.ts'
import { skillsListText } from '../skills-text.ts'

/** Which skills load and reach the model, and which do not and why. A disabled skill is no warning. */
export async function skillsFindings(context: CheckContext<Configuration['skills']>): Promise<readonly Finding[]> {
  const { skills, left, warnings } = await loadKnownSkills({ ...context, mcp: context.settingsOf('mcp') })
  const count = skills.length === 1 ? phrase`one skill` : phrase`${skills.length} skills`
  const off = left.filter(({ code }) => code === 'disabled').length
  const missed = left.filter(({ code }) => code !== 'disabled')
  return [
    ok('skills', `${count}${off === 0 ? '' : `, ${phrase`${off} disabled`}`}`),
    ...(skills.length === 0 ? [] : [await reachFinding(context, skills.length)]),
    ...missed.map(({ ref, why }) =>
      warning('skills', phrase`${ref} is left out: ${why}`, phrase`List all skills with \`foreword skills\`.`),
    ),
    ...warnings.map((text) =>
      warning('skills', text, phrase`Find file and line with \`foreword skills check FOLDER\`.`),
    ),
  ]
}

const FEWER = phrase`Disable skills that you do not need in \`skills.disabled\`, or use a model with a larger window.`

async function reachFinding({ get }: Pick<CheckContext, 'get'>, loaded: number): Promise<Finding> {
  try {
    const reach = await readReach(get, loaded)
    const isNamed = reach.form !== 'search' && reach.form !== 'none'
    if (isNamed && reach.but === undefined) return ok('skills', reachText(reach))
    return warning('skills', reachText(reach), reach.hint ?? FEWER)
  } catch (error) {
    const message = errorMessage(error)
    if ((error as { code?: unknown }).code === 'context-overflow') {
      return problem('skills', phrase`no skill reaches the model, since no request fits: ${message}`, FEWER)
    }
    return warning('skills', phrase`unknown which skills reach the model: ${message}`, phrase`Fix that first.`)
  }
}

/** Skills that every prompt lists and that no call has read: the price is that of their line in the list. */
export async function unreadSkills(context: LintContext<Configuration['skills']>): Promise<readonly LintFinding[]> {
  const { offered = 0, inputs = [] } = context.report.tools['read_skill'] ?? {}
  if (offered < LEAST_UNUSED) return []
  const { skills } = await loadKnownSkills({ ...context, mcp: context.settingsOf('mcp') })
  const reach = await readReach(context.get, skills.length).catch(errorMessage)
  if (typeof reach === 'string' || reach.form !== 'list') return []
  const read = new Set(inputs)
  const list = tokenx.text(skillsListText(skills))
  return skills
    .filter(({ name }) => !read.has(name) && !read.has(neutralLine(name).text))
    .map((skill) => {
      const without = skills.filter((other) => other !== skill)
      const tokens = list - (without.length === 0 ? 0 : tokenx.text(skillsListText(without)))
      const finding: LintFinding = {
        code: 'unread-text',
        severity: 'warning',
        where: { layer: 'skills', ref: `${skill.ref}/SKILL.md` },
        message: phrase`The skill ${skill.name} was listed in ${offered} of the newest ${context.report.calls} calls and never read.`,
        cost: lintCost('sent', Math.max(0, tokens), context.report.rates),
        hint: phrase`Add ${skill.name} to \`skills.disabled\`, or say in its description when it applies.`,
      }
      return calibratedFinding(finding, reach.prompt)
    })
}
