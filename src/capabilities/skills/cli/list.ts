import type { CommandCall, Io } from '../../../capability.ts'
import { exactLine, fittedTable, lineLimit, note, print, printJson, styled, table } from '../../../cli.ts'
import { errorMessage } from '../../../platform.ts'
import { type KnownSkills, knownSkills } from './known-skills.ts'
import { type SkillFacts, skillFacts } from './skill-facts.ts'
import { askReach, reachText, type SkillsReach } from './skills-reach.ts'

/** What loaded and what it costs, what did not load and why, and in which form skills are sent. */
export async function listSkills(call: CommandCall, io: Io): Promise<number> {
  const known = await knownSkills(call, io)
  const { skills, tokens } = await skillFacts(known)
  const { left, warnings, forms } = known
  const { reach, reachUnknown } = skills.length > 0 ? await reachOf(call, io, skills.length) : {}
  if (call.json) {
    printJson(io, { skills, left, warnings, tokens, ...forms, reach, reachUnknown })
    return 0
  }
  if (skills.length > 0) print(io, skillTable(skills, lineLimit(io)))
  if (left.length > 0) {
    const rows = left.map(({ name, ref, why }) => [exactLine(name), exactLine(ref), exactLine(why)])
    print(io, `${skills.length > 0 ? '\n' : ''}${table([['not loaded', 'from', 'why'], ...rows])}`)
  }
  if (skills.length > 0) print(io, `\n${styled(io, 'dim', sentence(known, tokens))}`)
  else note(io, noneText(known))
  if (reach !== undefined) print(io, reachText(reach))
  if (reach?.hint !== undefined) note(io, styled(io, 'yellow', reach.hint, io.stderr))
  if (reachUnknown !== undefined) note(io, styled(io, 'yellow', exactLine(reachUnknown), io.stderr))
  for (const warning of warnings) note(io, styled(io, 'yellow', exactLine(warning), io.stderr))
  return 0
}

/** What reaches the model, or why that cannot be said: the list is of use without it. */
async function reachOf(
  call: CommandCall,
  io: Io,
  loaded: number,
): Promise<{ readonly reach?: SkillsReach; readonly reachUnknown?: string }> {
  try {
    return { reach: await askReach(call, io, loaded) }
  } catch (error) {
    const message = errorMessage(error)
    return { reachUnknown: `What reaches the model cannot be said: ${message}` }
  }
}

function skillTable(skills: readonly SkillFacts[], columns: number): string {
  const rows = skills.map(({ name, tokens, tools, from, digest = '-' }) => [
    exactLine(name),
    String(tokens.full),
    String(tokens.list),
    exactLine(from),
    digest.slice(0, 12),
    tools.map(exactLine).join(', '),
  ])
  const head = ['skill', 'full', 'list', 'from', 'digest', 'tools']
  return fittedTable([head, ...rows], { right: [1, 2], columns, spare: [4, 3, 2, 5] })
}

function sentence({ skills, forms }: KnownSkills, tokens: { readonly full: number; readonly list: number }): string {
  const all = skills.length === 1 ? 'One skill' : `${skills.length} skills`
  const costs = `${all}: ${tokens.full} tokens in full, ${tokens.list} as a list.`
  if (forms.forms.includes('full') && forms.forms.length > 1) return `${costs} Sent ${forms.why}.`
  if (forms.forms.length > 1) return `${costs} Sent as a list, or what of it there is room for: ${forms.why}.`
  return `${costs} Sent ${forms.forms[0] === 'full' ? 'in full' : 'as a list'}: ${forms.why}.`
}

function noneText({ configuration, left }: KnownSkills): string {
  const begin = '`foreword skills new NAME` begins one'
  return `There are no skills${left.length > 0 ? ' that load' : ''}. ${begin} in ${configuration.skills.directory}.`
}
