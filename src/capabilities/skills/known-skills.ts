import { join, sep } from 'node:path'
import type { CheckContext } from '../../capability.ts'
import { calibratedManifest, exactLine, type Layout, numberText, phrase, type TokenCounter } from '../../context.ts'
import { ForewordError, nearestHint } from '../../platform.ts'
import type { Preview } from '../../runtime.ts'
import type { ListedSkill, SkillReach } from './http/skill-answers.ts'
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

/** What the next call would send of the skills. Sizes are in the tokens of its provider. */
export type SkillsReach = Omit<SkillReach, 'text' | 'tools'>

/** `get` answers `undefined` if no gateway can be asked. */
export async function readReach(get: CheckContext['get'], loaded: number): Promise<SkillsReach> {
  const next = await get<Preview>('/api/context')
  const known = await get<{ readonly read: number; readonly changed: readonly string[] }>('/api/skills')
  if (next === undefined || known === undefined)
    throw new ForewordError('no-gateway', phrase`No gateway can be opened.`)
  const { read, changed } = known
  const reach = skillsReach(next, read)
  if (reach.but !== undefined || (read === loaded && changed.length === 0)) return reach
  const but =
    read === loaded
      ? changed.length === 1
        ? phrase`${exactLine(changed[0]!)} changed after the gateway read it`
        : phrase`${changed.map(exactLine).join(', ')} changed after the gateway read them`
      : phrase`the gateway has read ${read}, and ${loaded} would load now`
  return { ...reach, but, hint: phrase`Read them again with \`foreword reload\`.` }
}

export function skillsReach({ model, request, manifest: counted, figures }: Preview, loaded: number): SkillsReach {
  const manifest = calibratedManifest(counted, figures.total)
  const entry = manifest.entries.find(({ layer }) => layer === 'skills')
  const form = entry?.outcome === 'omitted' ? 'none' : reachForm(entry?.form)
  const isRead = form === 'full' || form === 'none'
  const needed = form === 'search' ? ['find_skill', 'read_skill'] : isRead ? [] : ['read_skill']
  const lacking = needed.filter((name) => !request.tools.some((tool) => tool.name === name))
  return {
    model,
    window: manifest.budget.window,
    named: form === 'search' || form === 'none' ? 0 : loaded,
    loaded,
    form,
    tokens: entry?.tokens ?? 0,
    ...(entry && { fullTokens: entry.fullTokens }),
    prompt: { total: figures.total, used: counted.used },
    ...(lacking.length > 0 && { but: phrase`${lacking.join(' and ')} may not run`, hint: ALLOW }),
  }
}

const ALLOW = phrase`Allow it in tool-access.json. \`foreword tools\` shows which rule forbids it.`

function reachForm(form: string | undefined): SkillsReach['form'] {
  if (form === undefined) return 'none'
  if (form === 'list' || form === 'full') return form
  return form === 'list-search' ? 'search' : 'names'
}

export function reachText({ model, window, loaded, form, tokens, fullTokens, but }: SkillsReach): string {
  const all = loaded === 1 ? phrase`The one skill` : loaded === 2 ? phrase`Both skills` : phrase`All ${loaded} skills`
  const none =
    loaded === 0
      ? phrase`No skill is`
      : loaded === 1
        ? phrase`The one skill is not`
        : phrase`None of the ${loaded} skills is`
  const lack =
    fullTokens === undefined
      ? phrase`this model calls no tools to read them with`
      : phrase`there is no room for ${numberText(fullTokens)} tokens`
  const why = loaded === 0 ? phrase`none is loaded` : lack
  const texts = {
    full: phrase`${all} in full`,
    list: phrase`${all} by name and description, to be read with read_skill`,
    names: phrase`${all} by name alone (there is no room for the descriptions), to be read with read_skill`,
    search: phrase`${none} named (there is no room for the names): the model finds them with find_skill`,
    none: phrase`${none} sent: ${why}`,
  }
  const reach = form === 'none' ? texts.none : phrase`${texts[form]}, for ${numberText(tokens)} tokens`
  const whole = phrase`${reach} (${model}, window ${numberText(window)})`
  return but === undefined ? `${whole}.` : `${whole}; ${phrase`but ${but}`}.`
}
