import { join, sep } from 'node:path'
import { type Layout, phrase, type TokenCounter } from '../../context.ts'
import { nearestHint } from '../../platform.ts'
import type { ListedSkill } from './http/skill-answers.ts'
import type { LeftSkill, LoadedSkills, Skill } from './skill.ts'
import { sentSkill, skillFullText, skillLine, skillsFullText, skillsListText } from './skills-text.ts'
import { noticedSkill, type SkillsPlace, type SkillsTools } from './skills-tools.ts'

export interface FoundSkills extends LoadedSkills {
  readonly tools: SkillsTools
}

/** What a gateway would load if it started now. `warnings` include those about tools. */
export async function loadKnownSkills({
  digests = false,
  ...place
}: SkillsPlace & { readonly digests?: boolean }): Promise<FoundSkills> {
  const { skillOptions, skillsTools } = await import('./skills-tools.ts')
  const { loadSkills } = await import('./folder/load-skills.ts')
  const options = await skillOptions(place)
  const loaded = await loadSkills({ ...options, digests })
  const tools = await skillsTools(loaded.skills, options)
  return { ...loaded, warnings: [...loaded.warnings, ...tools.warnings], tools }
}

/** What the list has of a skill, apart from warnings about it. */
export type SkillFacts = Omit<ListedSkill, 'warnings'>

export function skillFacts(
  { skills, tools }: Pick<FoundSkills, 'skills' | 'tools'>,
  { counter, layout }: { readonly counter: TokenCounter; readonly layout: Layout },
) {
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
