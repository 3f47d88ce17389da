import type { CheckContext, CommandCall, Io } from '../../../capability.ts'
import { loadValidConfiguration } from '../../../cli.ts'
import type { Configuration } from '../../../runtime.ts'
import type { LoadedSkills, Skill } from '../skill.ts'
import type { SkillsForms } from '../skills-text.ts'
import type { SkillsTools } from '../skills-tools.ts'

/** The skills that a gateway would load if it started now. */
export interface KnownSkills extends LoadedSkills {
  readonly configuration: Configuration
  readonly tools: SkillsTools
  readonly forms: SkillsForms
}

/** Reads the configuration and the folders of skills, without a gateway. */
export async function knownSkills(call: CommandCall, io: Io): Promise<KnownSkills> {
  const { skillsForms } = await import('../skills-text.ts')
  const { layoutOf } = await import('../../../context.ts')
  const configuration = await loadValidConfiguration(call.home, io)
  const { agent, context, mcp, skills } = configuration
  const { workspace } = agent
  const loaded = await loadKnownSkills({ ...io, home: call.home, workspace, mcp, settings: skills, digests: true })
  return { ...loaded, configuration, forms: skillsForms(skills.contextMode, layoutOf(context.layout), loaded.skills) }
}

/** What decides about skills. */
interface SkillsConfiguration extends Pick<
  CheckContext<Configuration['skills']>,
  'settings' | 'home' | 'workspace' | 'environment'
> {
  /** Settings of the capability for MCP servers, if there is one. */
  readonly mcp: unknown
  readonly digests?: boolean
}

/** The same for a configuration that was already read. `warnings` include those about tools. */
export async function loadKnownSkills(
  configuration: SkillsConfiguration,
): Promise<LoadedSkills & Pick<KnownSkills, 'tools'>> {
  const { programFinder } = await import('../folder/find-binary.ts')
  const { loadSkills } = await import('../folder/load-skills.ts')
  const { skillRoots } = await import('../folder/skill-roots.ts')
  const { serverPrefixes, skillsTools } = await import('../skills-tools.ts')
  const { settings, home, workspace, environment, mcp, digests = false } = configuration
  const { disabled, allowScripts } = settings
  const findBinary = programFinder(environment)
  const roots = await skillRoots({ ...settings, home, workspace })
  const loaded = await loadSkills({ roots, disabled, digests, findBinary, environment })
  const takenPrefixes = serverPrefixes(mcp)
  const tools = await skillsTools(loaded.skills, { workspace, environment, allowScripts, takenPrefixes, findBinary })
  return { ...loaded, warnings: [...loaded.warnings, ...tools.warnings], tools }
}

/** Facts and costs of a skill, for lists and programs. */
export interface SkillFacts {
  readonly name: string
  readonly description: string
  /** Tokens, by the counter of the configuration. */
  readonly tokens: { readonly full: number; readonly list: number }
  /** Names of the tools that can run. */
  readonly tools: readonly string[]
  readonly from: string
  readonly folder: string
  readonly digest: string | undefined
}

/** Facts of every loaded skill, and the tokens of all of them together. */
export async function skillFacts(known: KnownSkills) {
  const { skillFullText, skillLine, skillsFullText, skillsListText } = await import('../skills-text.ts')
  const { layoutOf } = await import('../../../context.ts')
  const { findCounter } = await import('../../../runtime.ts')
  const { summaries } = layoutOf(known.configuration.context.layout).skills
  const counter = await findCounter(known.configuration.context.counter)
  const describeSkill = (skill: Skill): SkillFacts => ({
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
    skills: known.skills.map(describeSkill),
    tokens: {
      full: counter.text(skillsFullText(known.skills)),
      list: counter.text(skillsListText(known.skills, summaries)),
    },
  }
}
