import { readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { TokenCounter } from '../../context.ts'
import { readText } from '../text-reader.ts'
import { bodyFindings } from './check-body.ts'
import type { SkillFinding } from './skill-finding.ts'

/**
 * Lints a skill's folder against the Agent Skills standard: findings in the order of files and lines. Never rejects: a
 * folder that cannot be read is a finding.
 */
export async function checkSkill(path: string, counter: TokenCounter): Promise<readonly SkillFinding[]> {
  const folder = resolve(path)
  const names = await readdir(folder).catch(() => undefined)
  if (!names) return [failure('SKILL.md', 'there is no folder here that can be read')]
  if (!names.includes('SKILL.md')) {
    const near = names.find((name) => name.toLowerCase() === 'skill.md')
    const what = near === undefined ? 'there is no SKILL.md' : `${near} has to be named SKILL.md, in capitals`
    return [failure('SKILL.md', what)]
  }
  return [
    ...(await documentFindings(folder, counter)),
    ...(names.includes('tools.json') ? await toolsFindings(folder) : []),
  ]
}

async function documentFindings(folder: string, counter: TokenCounter): Promise<readonly SkillFinding[]> {
  const found = await readText(join(folder, 'SKILL.md'))
  if (found.type === 'missing') return [failure('SKILL.md', 'it is a link that leads nowhere')]
  if (found.type === 'unreadable') return [failure('SKILL.md', found.why)]
  const { frontmatterFindings } = await import('./check-frontmatter.ts')
  const findings = [
    ...frontmatterFindings(found.text, basename(folder)),
    ...(await bodyFindings(found.text, folder, counter)),
  ]
  return findings.toSorted((one, other) => one.line - other.line)
}

async function toolsFindings(folder: string): Promise<readonly SkillFinding[]> {
  const found = await readText(join(folder, 'tools.json'))
  if (found.type === 'missing') return [failure('tools.json', 'it is a link that leads nowhere')]
  if (found.type === 'unreadable') return [failure('tools.json', found.why)]
  const { skillTools } = await import('./executor/skill-tools.ts')
  const name = basename(folder)
  const { tools, warnings } = skillTools(
    { name, folder, toolsJson: found.text },
    { workspace: folder, environment: {}, allowScripts: true },
  )
  return warnings.map((warning) => ({
    file: 'tools.json',
    line: 1,
    level: tools.length === 0 ? 'error' : 'note',
    message: warning.replace(`tools.json of the skill ${name}: `, ''),
  }))
}

function failure(file: string, message: string): SkillFinding {
  return { file, line: 1, level: 'error', message }
}
