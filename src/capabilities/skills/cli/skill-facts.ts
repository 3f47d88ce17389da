import type { Skill } from '../../../capability.ts'
import type { KnownSkills } from './known-skills.ts'

/** What a skill is and costs, for a list and for programs. */
export interface SkillFacts {
  readonly name: string
  readonly description: string
  /** Tokens, by the counter of the configuration. */
  readonly tokens: { readonly full: number; readonly list: number }
  /** Names of those that can run. */
  readonly tools: readonly string[]
  readonly from: string
  readonly folder: string
  readonly digest: string | undefined
}

/** Facts of every skill that is loaded, and the tokens of all of them together. */
export async function skillFacts(known: KnownSkills) {
  const { skillFullText, skillLine, skillsFullText, skillsListText } = await import('../../../capability.ts')
  const { layoutOf } = await import('../../../context.ts')
  const { counters } = await import('../../../runtime.ts')
  const summaries = !layoutOf(known.configuration.context.layout).name.startsWith('chai')
  const counter = await counters(known.configuration.context.counter)
  const factsOf = (skill: Skill): SkillFacts => ({
    name: skill.name,
    description: skill.description,
    tokens: { full: counter.text(skillFullText(skill)), list: counter.text(skillLine(skill, summaries)) },
    tools: (known.tools.bySkill.get(skill.name) ?? []).flatMap((tool) =>
      known.tools.idle.has(tool) ? [] : [tool.name],
    ),
    from: skill.ref,
    folder: skill.folder,
    digest: skill.digest,
  })
  return {
    skills: known.skills.map(factsOf),
    tokens: {
      full: counter.text(skillsFullText(known.skills)),
      list: counter.text(skillsListText(known.skills, summaries)),
    },
  }
}
