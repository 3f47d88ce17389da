import type { CommandCall, Io } from '../../../capability.ts'
import { loadValidConfiguration } from '../../../cli.ts'
import { layoutOf } from '../../../context.ts'
import type { Configuration } from '../../../runtime.ts'
import { type FoundSkills, loadKnownSkills, skillFacts } from '../known-skills.ts'
import { type SkillsForms, skillsForms } from '../skills-text.ts'

export interface KnownSkills extends FoundSkills {
  readonly configuration: Configuration
  readonly forms: SkillsForms
}

export async function knownSkills(call: CommandCall, io: Io): Promise<KnownSkills> {
  const configuration = await loadValidConfiguration(call.home, io)
  const { agent, context, mcp, skills } = configuration
  const { workspace } = agent
  const loaded = await loadKnownSkills({ ...io, home: call.home, workspace, mcp, settings: skills, digests: true })
  return { ...loaded, configuration, forms: skillsForms(skills.contextMode, layoutOf(context.layout), loaded.skills) }
}

/** Facts of every loaded skill, and the tokens of all of them together, as configured. */
export async function knownSkillFacts({ configuration, ...found }: KnownSkills) {
  const { findCounter } = await import('../../../runtime.ts')
  const { counter, layout } = configuration.context
  return skillFacts(found, { counter: await findCounter(counter), layout: layoutOf(layout) })
}
