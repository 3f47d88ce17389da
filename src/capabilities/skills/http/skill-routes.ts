import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type CapabilityHost, type Route, jsonAnswer, route } from '../../../capability.ts'
import type { Configuration, Runtime } from '../../../runtime.ts'
import { HttpFailure } from '../../../server.ts'
import { checkSkill } from '../folder/check-skill.ts'
import { programFinder } from '../folder/requirements.ts'
import { readSkillFile, skillDigest, skillFiles } from '../folder/skill-files.ts'
import {
  loadKnownSkills,
  notLoadedReason,
  reachText,
  remedyOf,
  skillFacts,
  skillsReach,
  warningsAbout,
} from '../known-skills.ts'
import type { Skill } from '../skill.ts'
import { skillsForms } from '../skills-forms.ts'
import { sentSkill, skillFullText, skillLine } from '../skills-text.ts'
import { skillAnswer, skillFileAnswer, skillReachAnswer, skillsAnswer } from './skill-answers.ts'

type SkillsHost = Pick<
  CapabilityHost<Configuration['skills']>,
  'settings' | 'home' | 'environment' | 'layout' | 'counter' | 'settingsOf'
> & {
  readonly runtime: Pick<Runtime, 'preview'>
  /** The skills that the gateway has read: those of the folders may have changed since. */
  readonly service: { readonly loaded: { readonly skills: readonly Skill[] } }
}

const FILES_HINT = 'GET /api/skills/SKILL lists the files of a skill.'

const MOST_FILES = 500

/** Skills as the command line shows them: what loads, what it costs, what does not load and why, and what reaches a model. */
export function skillRoutes(host: SkillsHost): readonly Route[] {
  const { settings, home, environment, layout, counter, settingsOf, runtime, service } = host
  const known = (digests: boolean) =>
    loadKnownSkills({
      settings,
      environment,
      digests,
      home: home.folder,
      workspace: home.workspace,
      mcp: settingsOf('mcp'),
    })

  /** Without its digest: that reads every file of a skill. */
  async function knownSkill(name: string) {
    const found = await known(false)
    const skill = found.skills.find((one) => one.name === name.normalize('NFC'))
    if (skill !== undefined) return { found, skill }
    const { message, hint } = notLoadedReason(name, found)
    throw new HttpFailure('not-found', message.replace(/^t/, 'T'), { name }, { hint })
  }

  return [
    route('GET /api/skills', {
      scope: 'read',
      summary: 'Lists the skills in their folders: what each costs, and which are not loaded and why',
      description:
        'Reads the folders again. A gateway uses what it read at its start and at POST /api/reload: `read` is how many ' +
        'skills that were.',
      query: skillsQuery,
      answers: () => jsonAnswer('The skills', skillsAnswer),
      handle: async ({ query: { q } }) => {
        const found = await known(true)
        const { skills, tokens } = skillFacts(found, { counter, layout })
        const isWanted = matches(q)
        const about = [...found.skills, ...found.left]
        return {
          skills: skills
            .filter(({ name, description }) => isWanted(name, description))
            .map((facts) => ({ ...facts, warnings: warningsAbout(facts, found.warnings) })),
          left: found.left
            .filter(({ name, why }) => isWanted(name, why))
            .map((skill) => ({
              ...skill,
              ...remedyOf(skill),
              // Of one that cannot be read, the warning is the reason once more.
              warnings: skill.code === 'unreadable' ? [] : warningsAbout(skill, found.warnings),
            })),
          warnings: found.warnings.filter(
            (warning) => !about.some((skill) => warningsAbout(skill, [warning]).length > 0),
          ),
          tokens,
          total: found.skills.length,
          read: service.loaded.skills.length,
          changed: changedSkills(service.loaded.skills, found.skills),
          directory: settings.directory,
          ...skillsForms(settings.contextMode, layout, found.skills),
        }
      },
    }),
    route('POST /api/skills/reach', {
      scope: 'read',
      summary:
        'Reports which skills the next call of a model or an agent would be sent, and in which form. Writes nothing',
      body: reachBody,
      answers: () => jsonAnswer('What reaches the model', skillReachAnswer),
      handle: async ({ body: { model, choices = {} } }) => {
        const next = await runtime.preview({ ...(model !== undefined && { model }), choices })
        const [{ skills, tools }, reach] = [await known(false), skillsReach(next, service.loaded.skills.length)]
        const sent = new Set(next.request.tools.map(({ name }) => name))
        const offered = skills.flatMap(({ name }) => (tools.bySkill.get(name) ?? []).map((tool) => tool.name))
        return { ...reach, text: reachText(reach), tools: offered.filter((name) => sent.has(name)) }
      },
    }),
    route('GET /api/skills/:skill', {
      scope: 'read',
      summary: 'Shows one skill: what the model reads of it, its files, and what the check of its folder finds',
      answers: () => jsonAnswer('The skill', skillAnswer),
      handle: async ({ param }) => {
        const { found, skill } = await knownSkill(param('skill'))
        const facts = skillFacts({ ...found, skills: [skill] }, { counter, layout }).skills[0]!
        return {
          ...facts,
          digest: await skillDigest(skill.realFolder),
          warnings: warningsAbout(skill, found.warnings),
          fields: shownFields(skill),
          line: skillLine(sentSkill(skill, layout), layout.skills.summaries).trimEnd(),
          text: skillFullText(sentSkill(skill, layout)).trimEnd(),
          ...(await shownFiles(skill.realFolder)),
          findings: await checkSkill(skill.folder, counter, programFinder(environment)),
        }
      },
    }),
    route('GET /api/skills/:skill/file', {
      scope: 'read',
      summary: 'Reads a file of a skill, as the tool read_skill does',
      query: z.strictObject({ path: z.string().min(1).max(4_096).describe('Relative to the folder of the skill.') }),
      answers: () => jsonAnswer('Its text', skillFileAnswer),
      handle: async ({ param, query: { path } }) => {
        const { skill } = await knownSkill(param('skill'))
        const text = await readSkillFile(skill.realFolder, path)
        if (typeof text !== 'string')
          throw new HttpFailure(
            'not-found',
            `${text.error.replace(/^./, (letter) => letter.toUpperCase())}.`,
            { path },
            { hint: FILES_HINT },
          )
        return { path, text }
      },
    }),
  ]
}

function matches(q: string | undefined): (...texts: readonly string[]) => boolean {
  const words = (q ?? '').toLowerCase().split(/\s+/)
  return (...texts) => words.every((word) => texts.join(' ').toLowerCase().includes(word))
}

function shownFields({ fields: { license, compatibility, allowedTools, version, requires } }: Skill) {
  return { license, compatibility, allowedTools, version, requires }
}

async function shownFiles(folder: string) {
  const files = await skillFiles(folder).catch(() => [])
  return { files: files.slice(0, MOST_FILES), moreFiles: Math.max(0, files.length - MOST_FILES) }
}

const skillsQuery = z.strictObject({
  q: z.string().max(500).optional().describe('Words of the name or the description, in any order and case.'),
})

function changedSkills(read: readonly Skill[], now: readonly Skill[]): readonly string[] {
  const textOf = ({ body, fields }: Skill) => ({ body, fields })
  const before = new Map(read.map((skill) => [skill.name, textOf(skill)]))
  return now
    .filter((skill) => before.has(skill.name) && !isDeepStrictEqual(before.get(skill.name), textOf(skill)))
    .map(({ name }) => name)
}

const reachBody = z.strictObject({
  model: z.string().min(1).optional().describe('Absent: the one of the agent, or the configured one.'),
  choices: z
    .record(z.string(), z.string().min(1))
    .optional()
    .describe('What the session would have chosen, such as `agent` and its id.'),
})
