import { readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { TokenCounter } from '../../../context.ts'
import { readText } from '../../../tool.ts'
import { isBuiltInName } from '../../tool-names.ts'
import { bodyFindings } from './check-body.ts'
import { toolFilesAmong } from './find-skill-folders.ts'
import type { FindBinary } from './find-binary.ts'
import type { SkillFinding } from './skill-finding.ts'
import type { ToolFile } from './tool-files.ts'

export interface CheckOptions {
  /** Whether a program is on the PATH; none is looked for where absent. */
  readonly findBinary?: FindBinary
}

/**
 * Lints a skill's folder against the Agent Skills standard: findings in the order of files and lines. Never rejects: a
 * folder that cannot be read is a finding.
 */
export async function checkSkill(
  path: string,
  counter: TokenCounter,
  options: CheckOptions = {},
): Promise<readonly SkillFinding[]> {
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
    ...(await toolsFindings(folder, toolFilesAmong(names), options)),
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

async function toolsFindings(
  folder: string,
  files: readonly ToolFile[],
  { findBinary }: CheckOptions,
): Promise<readonly SkillFinding[]> {
  const texts: { [Name in ToolFile]?: string } = {}
  for (const file of files) {
    const found = await readText(join(folder, file))
    if (found.type === 'missing') return [failure(file, 'it is a link that leads nowhere')]
    if (found.type === 'unreadable') return [failure(file, found.why)]
    texts[file] = found.text
  }
  const { 'tools.json': tools } = texts
  if (tools === undefined) return []
  const { skillTools } = await import('../executor/skill-tools.ts')
  const { findings, tools: declared } = await skillTools(
    { name: basename(folder), folder, toolFiles: { ...texts, 'tools.json': tools } },
    { workspace: folder, environment: {}, allowScripts: true, ...(findBinary && { findBinary }) },
  )
  const reserved = declared.filter(({ name }) => isBuiltInName(name))
  return [
    ...findings.map((finding) => ({ ...finding, line: 1 })),
    ...reserved.map(({ name }) =>
      failure('tools.json', `${name} is the name of a tool of Foreword, so this one is left out`),
    ),
  ]
}

function failure(file: string, message: string): SkillFinding {
  return { file, line: 1, level: 'error', message }
}
