import type { SkillsTools } from '../skills-tools.ts'
import type { SkillsForms } from '../skills-forms.ts'
import type { LoadedSkills, SkillRoot } from '../skill.ts'
import type { FindBinary } from '../folder/find-binary.ts'
import type { Configuration } from '../../../runtime.ts'
import type { CommandCall, Io } from '../../../capability.ts'
import { validConfiguration } from '../../../cli.ts'

/** Skills as a gateway that starts now would load them. */
export interface KnownSkills extends LoadedSkills {
  readonly configuration: Configuration
  readonly roots: readonly SkillRoot[]
  readonly tools: SkillsTools
  readonly forms: SkillsForms
}

/** Reads the configuration and the folders of skills itself: no gateway is needed. */
export async function knownSkills(call: CommandCall, io: Io): Promise<KnownSkills> {
  const { skillsForms } = await import('../skills-forms.ts')
  const { layoutOf } = await import('../../../context.ts')
  const configuration = await validConfiguration(call.home, io)
  const { context, skills } = configuration
  const loaded = await loadedSkills(call.home, configuration, io, { digests: true })
  return { ...loaded, configuration, forms: skillsForms(skills.contextMode, layoutOf(context.layout), loaded.skills) }
}

/** The same of a configuration that was read already. Warnings about tools are among the others. */
export async function loadedSkills(
  home: string,
  { agent, mcp, skills }: Configuration,
  io: Io,
  { digests = false }: { readonly digests?: boolean } = {},
): Promise<LoadedSkills & Pick<KnownSkills, 'roots' | 'tools'>> {
  const { loadSkills } = await import('../folder/load-skills.ts')
  const { offeredPrefix } = await import('../../mcp-client/tool-name.ts')
  const { skillRoots } = await import('../folder/skill-roots.ts')
  const { skillsTools } = await import('../skills-tools.ts')
  const { environment } = io
  const { workspace } = agent
  const findBinary = await programFinder(io)
  const roots = await skillRoots({ ...skills, home, workspace })
  const loaded = await loadSkills({ roots, disabled: skills.disabled, digests, findBinary, environment })
  const tools = await skillsTools(loaded.skills, {
    workspace,
    environment,
    allowScripts: skills.allowScripts,
    takenPrefixes: Object.keys(mcp.servers).map(offeredPrefix),
    findBinary,
  })
  return { ...loaded, warnings: [...loaded.warnings, ...tools.warnings], roots, tools }
}

/** Looks on the PATH of whoever runs the command. */
export async function programFinder({ environment }: Io): Promise<FindBinary> {
  const { binaryFinder } = await import('../folder/find-binary.ts')
  return binaryFinder({ path: environment.PATH, platform: process.platform, extensions: environment.PATHEXT })
}
