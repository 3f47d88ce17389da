import { serverToolPrefix } from '../../capability.ts'
import type { Tool } from '../../tool.ts'
import type { Layout } from '../../context.ts'
import type { Configuration } from '../../runtime.ts'
import { skillRoots } from './folder/load-skills.ts'
import { programFinder } from './folder/requirements.ts'
import type * as SkillToolsModule from './executor/skill-tools.ts'
import type { SkillToolsOptions, ToolFinding } from './executor/skill-tools.ts'
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
  /** Skills with tools that cannot be used, by name. */
  readonly withoutTools: ReadonlyMap<string, MissingTools>
  readonly warnings: readonly string[]
}

interface MissingTools {
  /** Names; none where the files that declare them are broken. */
  readonly missing: readonly string[]
  /** None of its tools can be used. */
  readonly isAll: boolean
}

/** A broken file is a warning. Of two tools with one name the later is used, if it can ever run (BEHAVIOURS §1.5). */
export async function skillsTools(skills: readonly Skill[], options: SkillToolOptions): Promise<SkillsTools> {
  const bySkill = new Map<string, readonly Tool[]>()
  const idle = new Set<Tool>()
  const warnings: string[] = []
  const withoutTools = new Map<string, MissingTools>()
  const exporters = new Map<string, string>()
  const twice = new Map<string, { readonly names: readonly string[]; readonly used: string }>()
  for (const skill of skills) {
    if (skill.toolFiles === undefined) continue
    const { skillTools, doubtText, NO_TOOL_IS_USED } = await import('./executor/skill-tools.ts')
    const found = await skillTools(skill, options)
    const own = found.tools.filter(({ name }) => !isTaken(name, options.takenPrefixes))
    bySkill.set(skill.name, own)
    const usable = own.filter(({ name }) => !found.idle.has(name))
    const missing = found.tools.filter((tool) => !usable.includes(tool)).map(({ name }) => name)
    const isBroken = found.tools.length === 0 && found.findings.some(({ level }) => level === 'error')
    if (isBroken || missing.length > 0) withoutTools.set(skill.name, { missing, isAll: usable.length === 0 })
    if (found.findings.length > 0)
      warnings.push(`${skill.folder}: ${findingsText(found.findings, isBroken, { doubtText, NO_TOOL_IS_USED })}`)
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
          const pair = `the skills ${earlier} and ${skill.name} both export`
          twice.set(pair, { names: [...(twice.get(pair)?.names ?? []), name], used: skill.name })
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
  for (const [pair, { names, used }] of twice) {
    const [some, those, are] = names.length === 1 ? ['a tool', 'that', 'is'] : ['the tools', 'those', 'are']
    warnings.push(`${pair} ${some} ${names.join(', ')}; ${those} of ${used} ${are} used`)
  }
  return { bySkill, idle, withoutTools, warnings }
}

/** The most different findings about one skill that a warning spells out. */
const MOST_SPELLED = 3

type FindingWords = Pick<typeof SkillToolsModule, 'doubtText' | 'NO_TOOL_IS_USED'>

/** One sentence for all that was found about the tools of a skill. */
function findingsText(
  findings: readonly ToolFinding[],
  isBroken: boolean,
  { doubtText, NO_TOOL_IS_USED }: FindingWords,
): string {
  const same = Map.groupBy(findings, ({ file, message, about }) =>
    about ? `${about.stops} ${about.message}` : `${file}: ${message.replace(NO_TOOL_IS_USED, '')}`,
  )
  const sentences = [...same].map(([text, each]) => {
    const [{ about }] = each as [ToolFinding]
    return about ? doubtText([...new Set(each.map((one) => one.about!.tool))], about) : text
  })
  const more = sentences.length - MOST_SPELLED
  const rest = more > 0 ? `; and ${more} more, which \`foreword skills check\` lists` : ''
  return `${sentences.slice(0, MOST_SPELLED).join('; ')}${rest}${isBroken ? NO_TOOL_IS_USED : ''}`
}

/** A skill as a model reads it: it says which of its tools cannot be used. A preset keeps the text of its own system. */
export function noticedSkill<Noticed extends Pick<Skill, 'name' | 'description' | 'body'>>(
  skill: Noticed,
  { withoutTools }: Pick<SkillsTools, 'withoutTools'>,
  { skills: { neutralizes } }: Layout,
): Noticed {
  const found = neutralizes ? withoutTools.get(skill.name) : undefined
  if (found === undefined) return skill
  const { missing, isAll } = found
  const note = isAll
    ? 'The tools of this skill cannot be used here.'
    : `These tools of this skill cannot be used here: ${missing.join(', ')}.`
  const description =
    isAll && skill.description !== '' ? `${skill.description} (Its tools cannot be used here.)` : skill.description
  return { ...skill, description, body: `${skill.body}\n\n${note}` }
}

function isTaken(name: string, prefixes: readonly string[] = []): boolean {
  return isBuiltInName(name) || prefixes.some((prefix) => name.startsWith(prefix))
}

export interface SkillsPlace {
  readonly settings: Configuration['skills']
  readonly home: string
  readonly workspace: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Settings of the capability for MCP servers, if there is one: no skill's tool begins as theirs do. */
  readonly mcp: unknown
}

/** What the settings and the machine make of skills, for `loadSkills` and `skillsTools`. */
export async function skillOptions({ settings, home, workspace, environment, mcp }: SkillsPlace) {
  const { disabled, allowScripts } = settings
  const { servers = {} } = (mcp ?? {}) as { readonly servers?: Readonly<Record<string, unknown>> }
  return {
    roots: await skillRoots({ ...settings, home, workspace }),
    disabled,
    allowScripts,
    workspace,
    environment,
    findBinary: programFinder(environment),
    takenPrefixes: Object.keys(servers).map(serverToolPrefix),
  }
}
