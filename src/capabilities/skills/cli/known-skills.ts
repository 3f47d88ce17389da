import type { FindBinary, LoadedSkills, SkillRoot, SkillsForms, SkillsTools } from '../../../capability.ts'
import type { Configuration } from '../../../runtime.ts'
import type { CommandCall } from '../../../cli/command.ts'
import type { Io } from '../../../cli/io.ts'
import { validConfiguration } from '../../../cli/load-configuration.ts'

/** Skills as a gateway that starts now would load them. */
export interface KnownSkills extends LoadedSkills {
  readonly configuration: Configuration
  readonly roots: readonly SkillRoot[]
  readonly tools: SkillsTools
  readonly forms: SkillsForms
}

/** Reads the configuration and the folders of skills itself: no gateway is needed. */
export async function knownSkills(call: CommandCall, io: Io): Promise<KnownSkills> {
  const { skillsForms } = await import('../../../capability.ts')
  const { layoutOf } = await import('../../../context.ts')
  const configuration = await validConfiguration(call.home, io)
  const { context, skills } = configuration
  const loaded = await loadedSkills(call.home, configuration, io, { digests: true })
  const { name: layout } = layoutOf(context.layout)
  return { ...loaded, configuration, forms: skillsForms(skills.contextMode, layout, loaded.skills) }
}

/** The same of a configuration that was read already. Warnings about tools are among the others. */
export async function loadedSkills(
  home: string,
  { agent, mcp, skills }: Configuration,
  io: Io,
  { digests = false }: { readonly digests?: boolean } = {},
): Promise<LoadedSkills & Pick<KnownSkills, 'roots' | 'tools'>> {
  const { loadSkills, offeredPrefix, skillRoots, skillsTools } = await import('../../../capability.ts')
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
  const { binaryFinder } = await import('../../../capability.ts')
  return binaryFinder({ path: environment.PATH, platform: process.platform, extensions: environment.PATHEXT })
}
