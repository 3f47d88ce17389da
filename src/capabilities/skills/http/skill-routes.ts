import { join } from 'node:path'
import { stat } from 'node:fs/promises'
import { z } from 'zod'
import { type CapabilityHost, type Route, route } from '../../../capability.ts'
import type { Configuration, Runtime } from '../../../runtime.ts'
import { HttpFailure, json } from '../../../server.ts'
import { checkSkill } from '../folder/check-skill.ts'
import { programFinder } from '../folder/find-binary.ts'
import { skillDigest } from '../folder/load-skills.ts'
import { skillFilePaths } from '../folder/skill-files.ts'
import { loadKnownSkills, notLoadedReason, remedyOf, skillFacts, warningsAbout } from '../known-skills.ts'
import { readSkillFile } from '../read-skill.ts'
import type { Skill } from '../skill.ts'
import { reachText, skillsReach } from '../skills-reach.ts'
import { sentSkill, skillFullText, skillLine, skillsForms } from '../skills-text.ts'
import {
  reachBody,
  skillAnswer,
  skillFileAnswer,
  skillReachAnswer,
  skillsAnswer,
  skillsQuery,
} from './skill-schemas.ts'

type SkillsHost = Pick<
  CapabilityHost<Configuration['skills']>,
  'settings' | 'home' | 'environment' | 'layout' | 'counter' | 'settingsOf'
> & {
  readonly runtime: Pick<Runtime, 'preview'>
  /** The skills that the gateway has read: those of the folders may have changed since. */
  readonly service: { readonly loaded: { readonly skills: readonly unknown[] } }
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

  const tag = 'skills'
  return [
    route({
      method: 'GET',
      path: '/api/skills',
      scope: 'read',
      tag,
      summary: 'Lists the skills in their folders: what each costs, and which are not loaded and why',
      description:
        'Reads the folders again. A gateway uses what it read at its start and at POST /api/reload: `read` is how many ' +
        'skills that were.',
      query: skillsQuery,
      answers: { 200: { description: 'The skills', schema: skillsAnswer } },
      handle: async ({ query: { q } }) => {
        const found = await known(true)
        const { skills, tokens } = skillFacts(found, { counter, layout })
        const isWanted = matches(q)
        const about = [...found.skills, ...found.left]
        return json({
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
          directory: settings.directory,
          ...skillsForms(settings.contextMode, layout, found.skills),
        })
      },
    }),
    route({
      method: 'POST',
      path: '/api/skills/reach',
      scope: 'read',
      tag,
      summary:
        'Reports which skills the next call of a model or an agent would be sent, and in which form. Writes nothing',
      body: reachBody,
      answers: { 200: { description: 'What reaches the model', schema: skillReachAnswer } },
      handle: async ({ body: { model, choices = {} } }) => {
        const next = await runtime.preview({ ...(model !== undefined && { model }), choices })
        const [{ skills, tools }, reach] = [await known(false), skillsReach(next, service.loaded.skills.length)]
        const sent = new Set(next.request.tools.map(({ name }) => name))
        const offered = skills.flatMap(({ name }) => (tools.bySkill.get(name) ?? []).map((tool) => tool.name))
        return json({ ...reach, text: reachText(reach), tools: offered.filter((name) => sent.has(name)) })
      },
    }),
    route({
      method: 'GET',
      path: '/api/skills/:skill',
      scope: 'read',
      tag,
      summary: 'Shows one skill: what the model reads of it, its files, and what the check of its folder finds',
      answers: { 200: { description: 'The skill', schema: skillAnswer } },
      handle: async ({ param }) => {
        const { found, skill } = await knownSkill(param('skill'))
        const facts = skillFacts({ ...found, skills: [skill] }, { counter, layout }).skills[0]!
        return json({
          ...facts,
          digest: await skillDigest(skill.folder),
          warnings: warningsAbout(skill, found.warnings),
          fields: shownFields(skill),
          line: skillLine(sentSkill(skill, layout), layout.skills.summaries).trimEnd(),
          text: skillFullText(sentSkill(skill, layout)).trimEnd(),
          ...(await skillFiles(skill.folder)),
          findings: await checkSkill(skill.folder, counter, { findBinary: programFinder(environment) }),
        })
      },
    }),
    route({
      method: 'GET',
      path: '/api/skills/:skill/file',
      scope: 'read',
      tag,
      summary: 'Reads a file of a skill, as the tool read_skill does',
      query: z.strictObject({ path: z.string().min(1).max(4_096).describe('Relative to the folder of the skill.') }),
      answers: { 200: { description: 'Its text', schema: skillFileAnswer } },
      handle: async ({ param, query: { path } }) => {
        const { skill } = await knownSkill(param('skill'))
        const text = await readSkillFile(skill.folder, path)
        if (typeof text !== 'string')
          throw new HttpFailure('not-found', `${text.error.replace(/^./, upper)}.`, { path }, { hint: FILES_HINT })
        return json({ path, text })
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

async function skillFiles(folder: string) {
  const paths = await skillFilePaths(folder).catch(() => [])
  const files = await Promise.all(
    paths.slice(0, MOST_FILES).map(async (path) => {
      const facts = await stat(join(folder, path)).catch(() => undefined)
      return { path, ...(facts?.isFile() && { bytes: facts.size }) }
    }),
  )
  return { files, moreFiles: Math.max(0, paths.length - MOST_FILES) }
}

function upper(letter: string): string {
  return letter.toUpperCase()
}
