import { join, sep } from 'node:path'
import type { CheckContext } from '../../capability.ts'
import { type Layout, phrase, type TokenCounter } from '../../context.ts'
import { nearestHint } from '../../platform.ts'
import type { Configuration } from '../../runtime.ts'
import type { LeftSkill, LoadedSkills, Skill } from './skill.ts'
import { sentSkill, skillFullText, skillLine, skillsFullText, skillsListText } from './skills-text.ts'
import { type SkillsTools, noticedSkill } from './skills-tools.ts'

interface SkillsConfiguration extends Pick<
  CheckContext<Configuration['skills']>,
  'settings' | 'home' | 'workspace' | 'environment'
> {
  /** Settings of the capability for MCP servers, if there is one. */
  readonly mcp: unknown
  readonly digests?: boolean
}

export interface FoundSkills extends LoadedSkills {
  readonly tools: SkillsTools
}

/** What a gateway would load if it started now. `warnings` include those about tools. */
export async function loadKnownSkills(configuration: SkillsConfiguration): Promise<FoundSkills> {
  const { programFinder } = await import('./folder/requirements.ts')
  const { loadSkills, skillRoots } = await import('./folder/load-skills.ts')
  const { serverPrefixes, skillsTools } = await import('./skills-tools.ts')
  const { settings, home, workspace, environment, mcp, digests = false } = configuration
  const { disabled, allowScripts } = settings
  const findBinary = programFinder(environment)
  const roots = await skillRoots({ ...settings, home, workspace })
  const loaded = await loadSkills({ roots, disabled, digests, findBinary, environment })
  const takenPrefixes = serverPrefixes(mcp)
  const tools = await skillsTools(loaded.skills, { workspace, environment, allowScripts, takenPrefixes, findBinary })
  return { ...loaded, warnings: [...loaded.warnings, ...tools.warnings], tools }
}

export interface SkillFacts {
  readonly name: string
  readonly description: string
  /** Tokens, by the counter of the configuration. */
  readonly tokens: { readonly full: number; readonly list: number }
  readonly tools: readonly string[]
  readonly from: string
  readonly folder: string
  readonly digest: string | undefined
}

interface SkillsCount {
  readonly counter: TokenCounter
  readonly layout: Layout
}

export function skillFacts({ skills, tools }: Pick<FoundSkills, 'skills' | 'tools'>, { counter, layout }: SkillsCount) {
  const { summaries } = layout.skills
  const sentOf = (skill: Skill) => sentSkill(noticedSkill(skill, tools, layout), layout)
  const describeSkill = (skill: Skill): SkillFacts => ({
    name: skill.name,
    description: skill.description,
    tokens: {
      full: counter.text(skillFullText(sentOf(skill))),
      list: counter.text(skillLine(sentOf(skill), summaries)),
    },
    tools: (tools.bySkill.get(skill.name) ?? []).flatMap((tool) => (tools.idle.has(tool) ? [] : [tool.name])),
    from: skill.ref,
    folder: skill.folder,
    digest: skill.digest,
  })
  const sent = skills.map(sentOf)
  return {
    skills: skills.map(describeSkill),
    tokens: { full: counter.text(skillsFullText(sent)), list: counter.text(skillsListText(sent, summaries)) },
  }
}

export function warningsAbout({ folder }: { readonly folder: string }, warnings: readonly string[]): readonly string[] {
  return warnings.filter((warning) => warning.startsWith(`${folder}${sep}`) || warning.startsWith(`${folder}:`))
}

/** The file to look at, and what to do about a skill that was not loaded. */
export function remedyOf({ code, folder }: LeftSkill): { readonly file: string; readonly hint: string } {
  const file = join(folder, 'SKILL.md')
  const hints: Readonly<Record<LeftSkill['code'], string>> = {
    'other-system': phrase`It cannot be used on this machine. Remove it, or disable it in skills.disabled of config.json.`,
    'missing-programs': phrase`Install what it needs where the gateway finds it on its PATH, then read the skills again.`,
    'missing-environment': phrase`Set the variable in the environment of the gateway, then restart it.`,
    disabled: phrase`Remove its name from skills.disabled in config.json, then restart the gateway.`,
    replaced: phrase`Give one of both another \`name\` in its SKILL.md, or remove one of the folders.`,
    unreadable: phrase`Correct the file or its permissions, then read the skills again.`,
    untrusted: phrase`Read the skill first. If you trust its workspace, run \`foreword skills trust\`, then restart the gateway.`,
  }
  return { file, hint: hints[code] }
}

/** Why there is no loaded skill of a name, and how to go on. */
export function notLoadedReason(name: string, { left, skills }: LoadedSkills) {
  const found = left.find((one) => one.name === name)
  if (found !== undefined) {
    return {
      code: 'not-loaded' as const,
      message: phrase`the skill ${name} is not loaded: ${found.why}.`,
      hint: phrase`It is in ${found.folder}.`,
    }
  }
  const names = skills.map((one) => one.name)
  return {
    code: 'not-found' as const,
    message: phrase`Unknown skill "${name}".`,
    hint: nearestHint(name, names, phrase`List the skills with \`foreword skills\`.`),
  }
}
