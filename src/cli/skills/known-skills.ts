import type { LoadedSkills, SkillRoot, SkillsForms, SkillsTools } from '../../plugin.ts'
import type { Configuration } from '../../runtime.ts'
import type { CommandCall } from '../command.ts'
import type { Io } from '../io.ts'
import { validConfiguration } from '../load-configuration.ts'

/** Skills as a gateway that starts now would load them. */
export interface KnownSkills extends LoadedSkills {
  readonly configuration: Configuration
  readonly roots: readonly SkillRoot[]
  readonly tools: SkillsTools
  readonly forms: SkillsForms
}

/** Reads the configuration and the folders of skills itself: no gateway is needed. */
export async function knownSkills(call: CommandCall, io: Io): Promise<KnownSkills> {
  const { binaryFinder, loadSkills, skillRoots, skillsForms, skillsTools } = await import('../../plugin.ts')
  const { layoutOf } = await import('../../context.ts')
  const configuration = await validConfiguration(call.home, io)
  const { agent, context, skills } = configuration
  const { environment } = io
  const roots = await skillRoots({ ...skills, home: call.home, workspace: agent.workspace })
  const loaded = await loadSkills({
    roots,
    disabled: skills.disabled,
    digests: true,
    findBinary: binaryFinder({ path: environment.PATH, platform: process.platform, extensions: environment.PATHEXT }),
  })
  const tools = await skillsTools(loaded.skills, {
    workspace: agent.workspace,
    environment,
    allowScripts: skills.allowScripts,
  })
  return {
    ...loaded,
    warnings: [...loaded.warnings, ...tools.warnings],
    configuration,
    roots,
    tools,
    forms: skillsForms(skills.contextMode, layoutOf(context.layout).name, loaded.skills),
  }
}
