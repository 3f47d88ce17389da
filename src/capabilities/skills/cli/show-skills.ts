import type { CommandCall, Io } from '../../../capability.ts'
import {
  CommandFailure,
  fittedTable,
  safeForTerminal,
  lineLimit,
  note,
  print,
  printJson,
  applyStyle,
  requestJson,
  table,
  withConnection,
} from '../../../cli.ts'
import { exactLine } from '../../../context.ts'
import { errorMessage } from '../../../platform.ts'
import { notLoadedReason, type SkillFacts, warningsAbout } from '../known-skills.ts'
import { reachText, readReach, type SkillsReach } from '../skills-reach.ts'
import { type KnownSkills, knownSkillFacts, knownSkills } from './known-skills.ts'

/** The loaded skills and their costs, those that did not load and why, and the form in which skills are sent. */
export async function listSkills(call: CommandCall, io: Io): Promise<number> {
  const known = await knownSkills(call, io)
  const { skills, tokens } = await knownSkillFacts(known)
  const { left, warnings, forms } = known
  const { reach, reachUnknown }: Reach = skills.length > 0 ? await askReach(call, io, skills.length) : {}
  if (call.json) {
    printJson(io, { skills, left, warnings, tokens, ...forms, reach, reachUnknown })
    return 0
  }
  if (skills.length > 0) print(io, skillTable(skills, lineLimit(io)))
  if (left.length > 0) {
    const rows = left.map(({ name, ref, why }) => [exactLine(name), exactLine(ref), exactLine(why)])
    print(io, `${skills.length > 0 ? '\n' : ''}${table([['not loaded', 'from', 'why'], ...rows])}`)
  }
  if (skills.length > 0) print(io, `\n${applyStyle(io, 'dim', summaryText(known, tokens))}`)
  else note(io, noneText(known))
  if (reach !== undefined) print(io, reachText(reach))
  if (reach?.hint !== undefined) note(io, applyStyle(io, 'yellow', reach.hint, io.stderr))
  if (reachUnknown !== undefined) note(io, applyStyle(io, 'yellow', exactLine(reachUnknown), io.stderr))
  for (const warning of warnings) note(io, applyStyle(io, 'yellow', exactLine(warning), io.stderr))
  return 0
}

interface Reach {
  readonly reach?: SkillsReach
  readonly reachUnknown?: string
}

/** Asks a gateway what the next call would send; without one, a preview of the home. */
async function askReach({ home }: CommandCall, io: Io, loaded: number): Promise<Reach> {
  try {
    const reach = await withConnection(home, io, 'read', (connection) =>
      readReach((path) => requestJson(connection, path), loaded),
    )
    return { reach }
  } catch (error) {
    return { reachUnknown: `Unknown which skills reach the model: ${errorMessage(error)}` }
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

function summaryText({ skills, forms }: KnownSkills, tokens: { readonly full: number; readonly list: number }): string {
  const all = skills.length === 1 ? 'One skill' : `${skills.length} skills`
  const costs = `${all}: ${tokens.full} tokens in full, ${tokens.list} as a list.`
  if (forms.forms.includes('full') && forms.forms.length > 1) return `${costs} Sent ${forms.why}.`
  if (forms.forms.length > 1) return `${costs} Sent as a list, or as much of the list as fits: ${forms.why}.`
  return `${costs} Sent ${forms.forms[0] === 'full' ? 'in full' : 'as a list'}: ${forms.why}.`
}

function noneText({ configuration, left }: KnownSkills): string {
  const none = left.length > 0 ? 'No skill loads.' : 'No skills yet.'
  return `${none} Create one in ${configuration.skills.directory} with \`foreword skills new NAME\`.`
}

export async function showSkill(call: CommandCall, io: Io): Promise<number> {
  const { skillSummary } = await import('../skills-text.ts')
  const name = call.words[1]!.normalize('NFC')
  const known = await knownSkills(call, io)
  const skill = known.skills.find((one) => one.name === name)
  if (skill === undefined) throw notLoadedFailure(name, known)
  const facts = (await knownSkillFacts({ ...known, skills: [skill] })).skills[0]!
  const { license, compatibility, allowedTools, version, requires } = skill.fields
  const warnings = warningsAbout(skill, known.warnings)
  if (call.json) {
    printJson(io, { ...facts, fields: skill.fields, warnings, body: skill.body })
    return 0
  }
  const rows = [
    ['description', skill.description === '' ? `(no description) ${skillSummary(skill)}` : skill.description],
    ['folder', skill.folder],
    ['tokens', `${facts.tokens.full} in full, ${facts.tokens.list} in the list`],
    ['tools', facts.tools.join(', ')],
    ['digest', facts.digest ?? ''],
    ['version', version ?? ''],
    ['license', license ?? ''],
    ['compatibility', compatibility ?? ''],
    ['allowed-tools', allowedTools ?? ''],
    ['needs', [...requires.bins.map((programs) => programs.join(' or ')), ...requires.env].join(', ')],
    ['for', requires.os.join(', ')],
    ...warnings.map((warning) => ['warning', warning]),
  ].filter(([, value]) => value !== '')
  print(io, applyStyle(io, 'bold', exactLine(skill.name)))
  print(io, table(rows.map(([label, value]) => [label!, exactLine(value!.replaceAll(/\s+/g, ' '))])))
  print(io, `\n${safeForTerminal(skill.body.replace(/\s+$/, ''), io.stdout)}`)
  return 0
}

function notLoadedFailure(name: string, known: KnownSkills): CommandFailure {
  const { code, message, hint } = notLoadedReason(name, known)
  return new CommandFailure(code, message, { hint })
}
