import type { CommandCall, Io } from '../../../capability.ts'
import { CommandFailure, exactLine, harmless, print, printJson, styled, table } from '../../../cli.ts'
import { nearestName } from '../../../platform.ts'
import { type KnownSkills, knownSkills } from './known-skills.ts'
import { skillFacts } from './skill-facts.ts'

/** One skill with its body, as the model reads it. */
export async function showSkill(call: CommandCall, io: Io): Promise<number> {
  const { skillSummary } = await import('../skills-text.ts')
  const name = call.words[1]!.normalize('NFC')
  const known = await knownSkills(call, io)
  const skill = known.skills.find((one) => one.name === name)
  if (skill === undefined) throw notLoaded(name, known)
  const facts = (await skillFacts({ ...known, skills: [skill] })).skills[0]!
  const { license, compatibility, allowedTools, version, requires } = skill.fields
  const warnings = known.warnings.filter((warning) => warning.startsWith(skill.folder))
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
  print(io, styled(io, 'bold', exactLine(skill.name)))
  print(io, table(rows.map(([label, value]) => [label!, exactLine(value!.replaceAll(/\s+/g, ' '))])))
  print(io, `\n${harmless(skill.body.replace(/\s+$/, ''), io.stdout)}`)
  return 0
}

function notLoaded(name: string, { left, skills }: KnownSkills): CommandFailure {
  const found = left.find((one) => one.name === name)
  if (found !== undefined) {
    return new CommandFailure('not-loaded', `the skill ${name} is not loaded: ${found.why}.`, {
      hint: `It lies in ${found.folder}.`,
    })
  }
  const near = nearestName(
    name,
    skills.map((one) => one.name),
  )
  return new CommandFailure('not-found', `there is no skill ${name}.`, {
    hint: near === undefined ? '`foreword skills` lists them.' : `Did you mean ${near}?`,
  })
}
