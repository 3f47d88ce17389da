import type { CommandCall } from '../command.ts'
import { exactLine } from '../exact-text.ts'
import { type Io, note, print, printJson } from '../io.ts'
import { styled } from '../style.ts'
import { table } from '../table.ts'
import { type KnownSkills, knownSkills } from './known-skills.ts'
import { type SkillFacts, skillFacts } from './skill-facts.ts'

/** What loaded and what it costs, what did not load and why, and in which form skills are sent. */
export async function listSkills(call: CommandCall, io: Io): Promise<number> {
  const known = await knownSkills(call, io)
  const { skills, tokens } = await skillFacts(known)
  const { left, warnings, forms } = known
  if (call.json) {
    printJson(io, { skills, left, warnings, tokens, ...forms })
    return 0
  }
  if (skills.length > 0) print(io, skillTable(skills))
  if (left.length > 0) {
    const rows = left.map(({ name, ref, why }) => [exactLine(name), exactLine(ref), exactLine(why)])
    print(io, `${skills.length > 0 ? '\n' : ''}${table([['not loaded', 'from', 'why'], ...rows])}`)
  }
  if (skills.length > 0) print(io, `\n${styled(io, 'dim', sentence(known, tokens))}`)
  else note(io, noneText(known))
  for (const warning of warnings) note(io, styled(io, 'yellow', exactLine(warning), io.stderr))
  return 0
}

function skillTable(skills: readonly SkillFacts[]): string {
  const rows = skills.map(({ name, tokens, tools, from, digest = '-' }) => [
    exactLine(name),
    String(tokens.full),
    String(tokens.list),
    exactLine(from),
    digest.slice(0, 12),
    tools.map(exactLine).join(', '),
  ])
  return table([['skill', 'full', 'list', 'from', 'digest', 'tools'], ...rows], [1, 2])
}

function sentence({ skills, forms }: KnownSkills, tokens: { readonly full: number; readonly list: number }): string {
  const all = skills.length === 1 ? 'One skill' : `${skills.length} skills`
  const costs = `${all}: ${tokens.full} tokens in full, ${tokens.list} as a list.`
  if (forms.forms.includes('full') && forms.forms.length > 1) return `${costs} Sent ${forms.why}.`
  return `${costs} Sent ${forms.forms[0] === 'full' ? 'in full' : 'as a list'}: ${forms.why}.`
}

function noneText({ configuration, left }: KnownSkills): string {
  const begin = '`foreword skills new NAME` begins one'
  return `There are no skills${left.length > 0 ? ' that load' : ''}. ${begin} in ${configuration.skills.directory}.`
}
