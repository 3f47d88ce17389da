import type { LoadedSkills } from '../../plugin.ts'
import type { Configuration } from '../../runtime.ts'
import type { Io } from '../io.ts'
import { type Finding, ok, warning } from './finding.ts'

/** What loads, and what does not and why. A skill that was switched off on purpose is no warning. */
export async function checkSkills(home: string, configuration: Configuration, io: Io): Promise<readonly Finding[]> {
  const { skills, left, warnings } = await loaded(home, configuration, io)
  const count = skills.length === 1 ? 'one skill' : `${skills.length} skills`
  const off = left.filter(({ code }) => code === 'disabled').length
  const missed = left.filter(({ code }) => code !== 'disabled')
  return [
    ok('skills', `${count}${off === 0 ? '' : `, ${off} disabled`}`),
    ...missed.map(({ ref, why }) =>
      warning('skills', `${ref} is left out: ${why}`, '`foreword skills` lists them all.'),
    ),
    ...warnings.map((text) => warning('skills', text, '`foreword skills check FOLDER` names file and line.')),
  ]
}

async function loaded(home: string, { agent, skills }: Configuration, { environment }: Io): Promise<LoadedSkills> {
  const { binaryFinder, loadSkills, skillRoots, skillsTools } = await import('../../plugin.ts')
  const { workspace } = agent
  const found = await loadSkills({
    roots: await skillRoots({ ...skills, home, workspace }),
    disabled: skills.disabled,
    findBinary: binaryFinder({ path: environment.PATH, platform: process.platform, extensions: environment.PATHEXT }),
  })
  const tools = await skillsTools(found.skills, { workspace, environment, allowScripts: skills.allowScripts })
  return { ...found, warnings: [...found.warnings, ...tools.warnings] }
}
