import { join } from 'node:path'
import { capability, homePath, RuntimeError, type Self, type SessionChoice } from '../../capability.ts'
import { nearestHint } from '../../platform.ts'
import { isListed } from '../../tool.ts'
import { EXAMPLE, exampleLog, exampleSkills } from './example-skills.ts'
import type { openSkills } from './open-skills.ts'
import type { PinnedSkills } from './pinned-skills.ts'
import { z } from 'zod'

const skillsSettings = z
  .strictObject({
    directory: homePath().default('skills').describe('Folder of the skills, relative to the home.'),
    extraDirs: z.array(homePath()).default([]).describe('More folders of skills, searched in this order.'),
    disabled: z.array(z.string()).default([]).describe('Names of skills to leave out.'),
    contextMode: z
      .enum(['auto', 'full', 'readOnDemand'])
      .default('auto')
      .describe('Whether the prompt has the full text of skills or a list of them. `auto` decides by size.'),
    trustedDirs: z
      .array(homePath())
      .default([])
      .describe(
        'Folders outside the home whose `.agents/skills` you trust. Skills of a workspace load only from trusted folders.',
      ),
    allowScripts: z.boolean().default(false).describe('Whether the scripts of skills may run.'),
  })
  .prefault({})
  .describe('Folders of skills, and their form in the prompt.')

type SkillsSelf = Self<
  z.output<typeof skillsSettings>,
  Awaited<ReturnType<typeof openSkills>> & { readonly pins: PinnedSkills }
>

/** The choice of no skill at all. */
const NO_SKILL = 'off'

const chosenSkills: SessionChoice<SkillsSelf> = {
  summary: 'Names of the skills that the session uses, with commas between them, or `off`.',
  none: 'the usual skills',
  several: true,
  async check({ service }, id) {
    const known = service.loaded.skills.map(({ name }) => name)
    for (const name of namesIn(id)) {
      if (known.includes(name)) continue
      if (name.startsWith(EXAMPLE) && exampleSkills().some((skill) => isListed([name], skill.name))) continue
      const hint = nearestHint(name, known, '`foreword skills` lists them.')
      throw new RuntimeError('not-found', `There is no skill ${JSON.stringify(name)}.`, { skill: name }, { hint })
    }
  },
  list: async ({ service }) => [
    ...service.loaded.skills
      .filter(({ name }) => !name.includes(',') && name !== NO_SKILL)
      .map(({ name, description }) => ({ id: name, summary: description.replaceAll(/\s+/g, ' ').slice(0, 200) })),
    { id: NO_SKILL, summary: 'No skill.' },
  ],
  // A skill that is gone is not replaced by all others.
  preset: async (_, id) => ({ only: { skills: namesIn(id) } }),
}

function namesIn(id: string): readonly string[] {
  return id.split(',').filter((name) => name !== NO_SKILL)
}

/** Skills of the home and of the workspace, and the layer about the prompt blocks of all capabilities. */
export const skills = capability({
  name: 'skills',
  summary: 'reads skills, and runs their tools',
  settings: {
    schema: skillsSettings,
    warnings({ contextMode }, { layout }) {
      if (!layout.skills.asCapabilities || contextMode === 'auto') return []
      const hint =
        'In that layout each skill is a block of its own. Disable skills that you do not need in skills.disabled.'
      return [{ key: 'contextMode', message: `has no effect in the layout ${layout.name.replace(/\+$/, '')}`, hint }]
    },
    // Skills are instructions that everybody here follows.
    ofPerson: (settings) => settings,
  },
  commands: { skills: async () => (await import('./cli/skills.ts')).skillsCommand },
  checks: async (context) => (await import('./cli/check-skills.ts')).skillsFindings(context),
  reports: {
    costGroups: { skill: 'read_skill' },
    lint: {
      tools: ['read_skill'],
      findings: async (context) => (await import('./cli/check-skills.ts')).unreadSkills(context),
    },
  },
  status: {
    async startLine({ runtime, service }) {
      const { reachText, skillsReach } = await import('./known-skills.ts')
      const loaded = service.loaded.skills.length
      if (loaded === 0) return undefined
      return { label: 'Skills', text: reachText(skillsReach(await runtime.preview({}), loaded)) }
    },
    warnings: ({ service }) => service.warnings,
    facts: ({ service }) => ({ skills: service.loaded.skills.length }),
  },
  home: {
    places: ({ directory, extraDirs }, home) => ({
      outOfReach: [join(home, 'skills')],
      readOnly: [directory, ...extraDirs],
      programs: [join(home, 'skills'), directory, ...extraDirs],
    }),
    folders: ({ directory, extraDirs }) => [directory, ...extraDirs],
  },
  async start(host) {
    const { settings, home, environment, layout, sandbox, store, places } = host
    const { pinnedSkills } = await import('./pinned-skills.ts')
    const { openSkills } = await import('./open-skills.ts')
    const { skillOptions } = await import('./skills-tools.ts')
    const pins = pinnedSkills(host)
    const { workspace, folder } = home
    const options = await skillOptions({ settings, home: folder, workspace, environment, mcp: host.settingsOf('mcp') })
    const opened = await openSkills({ ...options, pins, store, mode: settings.contextMode, layout, sandbox, places })
    return Object.assign(opened, { pins })
  },
  layers: ({ service }, context) => service.layers(context),
  turn: ({ service }, question) => service.turn(question),
  tools: ({ service }) => service.tools,
  promptBlocks: ({ service }) => service.promptBlocks,
  http: { routes: async (self) => (await import('./http/skill-routes.ts')).skillRoutes(self) },
  lifecycle: { reload: ({ service }) => service.reload() },
  sessions: {
    choices: { skills: chosenSkills },
    async deleted({ store }, session) {
      const key = exampleLog(session)
      if (await store.value(key)) await store.transaction([{ type: 'value', key, value: null }])
    },
  },
  pins: ({ service }) => [service.pins],
})
