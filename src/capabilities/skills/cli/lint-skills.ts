import type { LintContext } from '../../../capability.ts'
import { LEAST_UNUSED, lintCost, type LintFinding, neutralLine, tokenx } from '../../../context.ts'
import { errorMessage } from '../../../platform.ts'
import type { Configuration } from '../../../runtime.ts'
import { loadKnownSkills } from '../known-skills.ts'
import { readReach } from '../skills-reach.ts'
import { skillsListText } from '../skills-text.ts'

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
      return {
        code: 'unread-text',
        severity: 'warning',
        where: { layer: 'skills', ref: `${skill.ref}/SKILL.md` },
        message: `The skill ${skill.name} was listed in ${offered} of the newest ${context.report.calls} calls and never read.`,
        cost: lintCost('sent', Math.max(0, tokens), context.report.rates),
        hint: `Add ${skill.name} to \`skills.disabled\`, or say in its description when it applies.`,
      }
    })
}
