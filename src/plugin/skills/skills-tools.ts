import type { Tool } from '../../tool.ts'
import type { Skill } from './skill.ts'

/** What the programs behind skills' tools are given. */
export interface SkillToolOptions {
  /** Folder that they work in. */
  readonly workspace: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** `skills.allowScripts` */
  readonly allowScripts: boolean
  /** Time limit of one run, ms. */
  readonly timeoutMs?: number
  /** Longest output of one run, characters. */
  readonly maxOutputChars?: number
  /** Names that begin so are those of others, such as the tools of a server: no skill takes what they are allowed. */
  readonly takenPrefixes?: readonly string[]
}

/** The tools of skills by the name of the skill, in order. */
export interface SkillsTools {
  readonly bySkill: ReadonlyMap<string, readonly Tool[]>
  readonly warnings: readonly string[]
}

/** Reads each skill's `tools.json` (BEHAVIOURS §1.5). A broken one is a warning, and so is a name that two skills export. */
export async function skillsTools(skills: readonly Skill[], options: SkillToolOptions): Promise<SkillsTools> {
  const bySkill = new Map<string, readonly Tool[]>()
  const warnings: string[] = []
  const exporters = new Map<string, string>()
  for (const skill of skills) {
    if (skill.toolsJson === undefined) continue
    const { skillTools } = await import('./executor/skill-tools.ts')
    const found = skillTools({ name: skill.name, folder: skill.folder, toolsJson: skill.toolsJson }, options)
    const tools = found.tools.filter(({ name }) => !isTaken(name, options.takenPrefixes))
    bySkill.set(skill.name, tools)
    warnings.push(...found.warnings)
    for (const { name } of found.tools) {
      if (tools.some((tool) => tool.name === name)) continue
      warnings.push(`the skill ${skill.name} exports a tool ${name}; that name is taken, so the tool is left out`)
    }
    for (const { name } of tools) {
      const earlier = exporters.get(name)
      if (earlier !== undefined && earlier !== skill.name) {
        warnings.push(
          `the skills ${earlier} and ${skill.name} both export a tool ${name}; that of ${skill.name} is used`,
        )
      }
      exporters.set(name, skill.name)
    }
  }
  return { bySkill, warnings }
}

function isTaken(name: string, prefixes: readonly string[] = []): boolean {
  return name === 'read_skill' || prefixes.some((prefix) => name.startsWith(prefix))
}
