import { serverToolPrefix } from '../../capability.ts'
import type { Tool } from '../../tool.ts'
import type { SkillToolsOptions } from './executor/skill-tools.ts'
import { isBuiltInName } from '../tool-names.ts'
import type { Skill } from './skill.ts'

export interface SkillToolOptions extends SkillToolsOptions {
  /** Prefixes of tools that others offer, such as MCP servers. A skill's tool of such a name is left out: it must not get their permissions. */
  readonly takenPrefixes?: readonly string[]
}

export interface SkillsTools {
  /** All whose names belong to no one else. */
  readonly bySkill: ReadonlyMap<string, readonly Tool[]>
  /** Those that can never run: they are listed for the owner, and offered to no model. */
  readonly idle: ReadonlySet<Tool>
  readonly warnings: readonly string[]
}

/** A broken file is a warning. Of two tools with one name the later is used, if it can ever run (BEHAVIOURS §1.5). */
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
        warnings.push(
          `the skill ${skill.name} exports a tool ${name}; ${isBuiltInName(name) ? 'that is the name of a tool of Foreword' : 'that name is taken'}, so the tool is left out`,
        )
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
  // Otherwise a tool that can never run would hide one of the same name that can.
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

/** Prefixes of the tool names of the configured MCP servers; empty without the capability for such servers. */
export function serverPrefixes(settings: unknown): readonly string[] {
  const { servers = {} } = (settings ?? {}) as { readonly servers?: Readonly<Record<string, unknown>> }
  return Object.keys(servers).map(serverToolPrefix)
}
