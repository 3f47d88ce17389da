import { mkdir, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { CommandCall, Io } from '../../../capability.ts'
import {
  CommandFailure,
  fileFailure,
  note,
  print,
  printJson,
  commandWithSubcommands,
  applyStyle,
  usageFailure,
  loadValidConfiguration,
  fittedTable,
  safeForTerminal,
  lineLimit,
  loadedCapabilities,
  requestJson,
  table,
  withConnection,
  printChange,
} from '../../../cli.ts'
import { calibratedTokens, exactLine, layoutOf, numberText } from '../../../context.ts'
import type { SkillFinding } from '../folder/read-frontmatter.ts'
import { errorMessage, systemClock } from '../../../platform.ts'
import {
  type FoundSkills,
  loadKnownSkills,
  notLoadedReason,
  reachText,
  readReach,
  type SkillFacts,
  skillFacts,
  type SkillsReach,
  warningsAbout,
} from '../known-skills.ts'
import type { Configuration } from '../../../runtime.ts'
import { type SkillsForms, skillsForms } from '../skills-forms.ts'

/** The loaded skills and their costs, those that did not load and why, and the form in which skills are sent. */
async function listSkills(call: CommandCall, io: Io): Promise<number> {
  const known = await knownSkills(call, io)
  const { skills, tokens } = await knownSkillFacts(known)
  const { left, warnings, forms } = known
  const { reach, reachUnknown }: Reach = skills.length > 0 ? await askReach(call, io, skills.length) : {}
  if (call.json) return printJson(io, { skills, left, warnings, tokens, ...forms, reach, reachUnknown })
  const sized = (counted: number) =>
    reach ? calibratedTokens(counted, reach.prompt.total, reach.prompt.used) : counted
  if (skills.length > 0) print(io, skillTable(skills, sized, lineLimit(io)))
  if (left.length > 0) {
    const rows = left.map(({ name, ref, why }) => [exactLine(name), exactLine(ref), exactLine(why)])
    print(io, `${skills.length > 0 ? '\n' : ''}${table([['not loaded', 'from', 'why'], ...rows])}`)
  }
  if (skills.length > 0)
    print(io, `\n${applyStyle(io, 'dim', summaryText(known, { full: sized(tokens.full), list: sized(tokens.list) }))}`)
  else note(io, noneText(known))
  if (reach !== undefined) print(io, reachText(reach))
  if (reach?.hint !== undefined) note(io, reach.hint, 'yellow')
  if (reachUnknown !== undefined) note(io, exactLine(reachUnknown), 'yellow')
  for (const warning of warnings) note(io, exactLine(warning), 'yellow')
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

function skillTable(skills: readonly SkillFacts[], sized: (counted: number) => number, columns: number): string {
  const rows = skills.map(({ name, tokens, tools, from, digest = '-' }) => [
    exactLine(name),
    numberText(sized(tokens.full)),
    numberText(sized(tokens.list)),
    exactLine(from),
    digest.slice(0, 12),
    tools.map(exactLine).join(', '),
  ])
  const head = ['skill', 'full', 'list', 'from', 'digest', 'tools']
  return fittedTable([head, ...rows], { right: [1, 2], columns, spare: [4, 3, 2, 5] })
}

function summaryText({ skills, forms }: KnownSkills, tokens: { readonly full: number; readonly list: number }): string {
  const all = skills.length === 1 ? 'One skill' : `${skills.length} skills`
  const costs = `${all}: ${numberText(tokens.full)} tokens in full, ${numberText(tokens.list)} as a list.`
  if (forms.forms.includes('full') && forms.forms.length > 1) return `${costs} Sent ${forms.why}.`
  if (forms.forms.length > 1) return `${costs} Sent as a list, or as much of the list as fits: ${forms.why}.`
  return `${costs} Sent ${forms.forms[0] === 'full' ? 'in full' : 'as a list'}: ${forms.why}.`
}

function noneText({ configuration, left }: KnownSkills): string {
  const none = left.length > 0 ? 'No skill loads.' : 'No skills yet.'
  return `${none} Create one in ${configuration.skills.directory} with \`foreword skills new NAME\`.`
}

async function showSkill(call: CommandCall, io: Io): Promise<number> {
  const { skillSummary } = await import('../skills-text.ts')
  const name = call.words[1]!.normalize('NFC')
  const known = await knownSkills(call, io)
  const skill = known.skills.find((one) => one.name === name)
  if (skill === undefined) {
    const { code, message, hint } = notLoadedReason(name, known)
    throw new CommandFailure(code, message, { hint })
  }
  const facts = (await knownSkillFacts({ ...known, skills: [skill] })).skills[0]!
  const { license, compatibility, allowedTools, version, requires } = skill.fields
  const warnings = warningsAbout(skill, known.warnings)
  if (call.json) return printJson(io, { ...facts, fields: skill.fields, warnings, body: skill.body })
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
  print(io, exactLine(skill.name), 'bold')
  print(io, table(rows.map(([label, value]) => [label!, exactLine(value!.replaceAll(/\s+/g, ' '))])))
  print(io, `\n${safeForTerminal(skill.body.replace(/\s+$/, ''), io.stdout)}`)
  return 0
}

export const skillsCommand = commandWithSubcommands({
  name: 'skills',
  group: 'set-up',
  summary: 'list, show, check and create skills',
  details:
    'The list shows what each skill costs, in full and as a line of the list, and which skills are not loaded and why. ' +
    '`check` compares the named folders, or all skills, with the Agent Skills standard. `trust` allows the skills in ' +
    '`.agents/skills` of a workspace to load. Works with and without a running gateway, which reads skills at its start ' +
    'and at `foreword reload`.',
  first: 'list',
  subcommands: {
    list: { usage: '[--json]', run: listSkills },
    show: { usage: 'NAME [--json]', run: showSkill },
    check: { usage: '[FOLDER…] [--json]', run: lintSkills },
    new: { usage: 'NAME [--json]', run: newSkill },
    trust: { usage: '[FOLDER] [--json]', forPersons: 'trust a workspace', run: trustSkills },
  },
})

/** Lints folders of skills against the Agent Skills standard: `file:line: message`. The exit code is 1 if a rule is broken. */
async function lintSkills(call: CommandCall, io: Io): Promise<number> {
  const { checkSkill } = await import('../folder/check-skill.ts')
  const { programFinder } = await import('../folder/requirements.ts')
  const { tokenx } = await import('../../../context.ts')
  const folders = await foldersToLint(call, io)
  const findBinary = programFinder(io.environment)
  let errors = 0
  let notes = 0
  for (const folder of folders) {
    for (const finding of await checkSkill(resolve(folder), tokenx, findBinary)) {
      if (finding.level === 'error') errors++
      else notes++
      printFinding(join(folder, finding.file), finding, call, io)
    }
  }
  if (!call.json) note(io, lintSummary(folders.length, errors, notes))
  return errors === 0 ? 0 : 1
}

function printFinding(file: string, { line, level, message }: SkillFinding, call: CommandCall, io: Io): void {
  const styled = applyStyle(io, level === 'error' ? 'red' : 'dim', level)
  if (call.json) printJson(io, { file, line, level, message })
  else print(io, `${exactLine(file)}:${line}: ${styled}: ${exactLine(message)}`)
}

function lintSummary(folders: number, errors: number, notes: number): string {
  const count = (number: number, one: string) => `${number} ${one}${number === 1 ? '' : 's'}`
  return `${count(folders, 'skill')} checked: ${count(errors, 'error')}, ${count(notes, 'note')}.`
}

/** Folders of skills are expanded; every skill if none is named. */
async function foldersToLint(call: CommandCall, io: Io): Promise<readonly string[]> {
  const named = call.words.slice(1)
  if (named.length > 0) return (await Promise.all(named.map(skillFoldersAt))).flat()
  const { skills, left } = await knownSkills(call, io)
  return [...new Set([...skills, ...left].map(({ folder }) => folder))].toSorted()
}

/** The folder itself, or, if it is no skill but has skills in it, those. */
async function skillFoldersAt(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw fileFailure(folder, 'read', error)
  })
  if (names.some((name) => name.toLowerCase() === 'skill.md')) return [folder]
  const within = await Promise.all(
    names.toSorted().map(async (name) => {
      const has = await stat(join(folder, name, 'SKILL.md')).catch(() => undefined)
      return has === undefined ? [] : [join(folder, name)]
    }),
  )
  return within.flat().length === 0 ? [folder] : within.flat()
}

async function newSkill(call: CommandCall, io: Io): Promise<number> {
  const name = call.words[1]!
  if (name.length > 64 || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) {
    throw usageFailure(
      `Invalid skill name ${JSON.stringify(name)}.`,
      'Use up to 64 lowercase letters, digits and single hyphens, such as `release-notes`.',
    )
  }
  const { skills } = await loadValidConfiguration(call.home, io)
  const folder = join(skills.directory, name)
  const file = join(folder, 'SKILL.md')
  try {
    await mkdir(skills.directory, { recursive: true, mode: 0o700 })
    await mkdir(folder)
    await writeSkill(folder, file, skeleton(name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileFailure(file, 'written', error)
    throw new CommandFailure('conflict', `${folder} already exists.`, { hint: 'Choose another name.' })
  }
  const sentence = `Created ${file}. Fill it in, then check it with \`foreword skills check\`.`
  return printChange({ name, file }, sentence, call, io)
}

/** Removes the folder if the file cannot be written as a whole, since half a skill would be loaded. */
async function writeSkill(folder: string, file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', flush: true })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

function skeleton(name: string): string {
  const title = name.replaceAll('-', ' ').replace(/^./, (letter) => letter.toUpperCase())
  return `---
name: ${name}
description: Describe what this skill does and when to use it. The model chooses by this text.
---

# ${title}

Describe the steps here. Put long material into files beside this one, such as
\`references/details.md\`. The model reads them only when it needs them.
`
}

/** Trusts the skills of a workspace: adds its folder to `skills.trustedDirs`. */
async function trustSkills(call: CommandCall, io: Io): Promise<number> {
  const { loadSkills, skillRoots } = await import('../folder/load-skills.ts')
  const configuration = await loadValidConfiguration(call.home, io)
  const { agent, skills } = configuration
  const workspace = await realFolder(call.words[1] ?? agent.workspace)
  const roots = await skillRoots({ ...skills, home: call.home, workspace })
  const root = roots.at(-1)!
  const isNew = root.trusted === false
  if (isNew) await trustFolder(call.home, [...skills.trustedDirs, workspace], io)
  const found = await loadSkills({ roots: [{ ...root, trusted: true }], findBinary: () => Promise.resolve(true) })
  const names = found.skills.map(({ name }) => name)
  if (call.json) return printJson(io, { folder: workspace, added: isNew, skills: names })
  note(io, isNew ? `Trusted ${workspace}. It takes effect at the next start.` : `${workspace} was already trusted.`)
  const count = names.length === 1 ? 'one skill' : `${names.length} skills`
  if (names.length === 0) note(io, `No skills in ${join(workspace, '.agents', 'skills')} yet.`)
  else note(io, `It has ${count}: ${names.map(exactLine).join(', ')}.`)
  if (workspace !== (await realpath(agent.workspace).catch(() => agent.workspace))) {
    note(io, `The configured workspace is ${agent.workspace}. Change it with \`foreword config set agent.workspace\`.`)
  }
  return 0
}

async function realFolder(path: string): Promise<string> {
  try {
    const folder = await realpath(path)
    if ((await stat(folder)).isDirectory()) return folder
  } catch (error) {
    throw fileFailure(path, 'read', error)
  }
  throw new CommandFailure('file', `${path} is not a folder.`)
}

async function trustFolder(home: string, folders: readonly string[], io: Io): Promise<void> {
  const { ConfigurationError, configurationSchema, setValue } = await import('../../../runtime.ts')
  try {
    await setValue({
      home,
      clock: systemClock,
      schema: configurationSchema(await loadedCapabilities(io)),
      key: 'skills.trustedDirs',
      value: folders,
    })
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw new CommandFailure('configuration', error.message, { cause: error })
  }
}

interface KnownSkills extends FoundSkills {
  readonly configuration: Configuration
  readonly forms: SkillsForms
}

async function knownSkills(call: CommandCall, io: Io): Promise<KnownSkills> {
  const configuration = await loadValidConfiguration(call.home, io)
  const { agent, context, mcp, skills } = configuration
  const { workspace } = agent
  const loaded = await loadKnownSkills({ ...io, home: call.home, workspace, mcp, settings: skills, digests: true })
  return { ...loaded, configuration, forms: skillsForms(skills.contextMode, layoutOf(context.layout), loaded.skills) }
}

/** Facts of every loaded skill, and the tokens of all of them together, as configured. */
async function knownSkillFacts({ configuration, ...found }: KnownSkills) {
  const { findCounter } = await import('../../../runtime.ts')
  const { counter, layout } = configuration.context
  return skillFacts(found, { counter: await findCounter(counter), layout: layoutOf(layout) })
}
