import type { Preview } from '../../runtime.ts'
import type { SkillReach } from './http/skill-answers.ts'
import { ForewordError } from '../../platform.ts'
import type { CheckContext } from '../../capability.ts'
import { calibratedManifest, exactLine, numberText, phrase } from '../../context.ts'

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
