import type { Tool } from '../../tool.ts'
import { isBuiltInName } from '../tool-names.ts'
import type { FindBinary } from './folder/find-binary.ts'
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
  /** Whether a program is on the PATH: a tool without its program is not offered. Where absent, none is missed. */
  readonly findBinary?: FindBinary
}

/** The tools of skills by the name of the skill, in order. */
export interface SkillsTools {
  /** All that take no name of others. */
  readonly bySkill: ReadonlyMap<string, readonly Tool[]>
  /** Those of which no call can ever run: they are listed, and offered to no model. */
  readonly idle: ReadonlySet<Tool>
  readonly warnings: readonly string[]
}

/**
 * Reads what declares each skill's tools (BEHAVIOURS §1.5). What is broken is a warning, and so is a name that two skills
 * export: the later one has it, unless it can never run.
 */
export async function skillsTools(skills: readonly Skill[], options: SkillToolOptions): Promise<SkillsTools> {
  const bySkill = new Map<string, readonly Tool[]>()
  const idle = new Set<Tool>()
  const warnings: string[] = []
  const exporters = new Map<string, string>()
  for (const skill of skills) {
    if (skill.toolFiles === undefined) continue
    const { skillTools } = await import('./executor/skill-tools.ts')
    const found = await skillTools(skill, options)
    const own = found.tools.filter(({ name }) => !isTaken(name, options.takenPrefixes))
    bySkill.set(skill.name, own)
    warnings.push(...found.findings.map(({ file, message }) => `${file} of the skill ${skill.name}: ${message}`))
    for (const tool of found.tools) {
      const { name } = tool
      const earlier = exporters.get(name)
      if (!own.includes(tool)) {
        warnings.push(`the skill ${skill.name} exports a tool ${name}; ${takenText(name)}, so the tool is left out`)
      } else if (found.idle.has(name)) idle.add(tool)
      else {
        if (earlier !== undefined) {
          warnings.push(
            `the skills ${earlier} and ${skill.name} both export a tool ${name}; that of ${skill.name} is used`,
          )
        }
        exporters.set(name, skill.name)
      }
    }
  }
  // A tool that can never run would take the name of one that can.
  for (const [skill, tools] of bySkill) {
    bySkill.set(
      skill,
      tools.filter((tool) => !idle.has(tool) || !exporters.has(tool.name)),
    )
  }
  return { bySkill, idle, warnings }
}

function isTaken(name: string, prefixes: readonly string[] = []): boolean {
  return isBuiltInName(name) || prefixes.some((prefix) => name.startsWith(prefix))
}

function takenText(name: string): string {
  return isBuiltInName(name) ? 'that is the name of a tool of Foreword' : 'that name is taken'
}
