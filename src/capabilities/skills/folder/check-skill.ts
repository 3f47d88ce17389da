import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { isWithin } from '../../../capability/toolkit.ts'
import type { TokenCounter } from '../../../context.ts'
import { readText } from '../../../tool.ts'
import type { ToolFile } from '../skill.ts'
import type { SkillFinding } from './check-frontmatter.ts'
import { isBuiltInName } from '../../tool-names.ts'
import type { FindBinary } from './find-binary.ts'
import { toolFilesAmong } from './skill-folder.ts'
import { splitFrontmatter } from './strip-frontmatter.ts'

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
  if (!names) return [failure('SKILL.md', 'it cannot be read: no such folder, or no permission')]
  if (!names.includes('SKILL.md')) {
    const near = names.find((name) => name.toLowerCase() === 'skill.md')
    const what = near === undefined ? 'there is no SKILL.md' : `rename ${near} to SKILL.md, in capitals`
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

/** The body of a skill should be shorter than this; longer material belongs in files of its own. */
const BODY = { lines: 500, tokens: 5_000 }

/** Lints the body of a `SKILL.md`: its length, and whether the files that it links to are there. */
async function bodyFindings(text: string, folder: string, counter: TokenCounter): Promise<readonly SkillFinding[]> {
  const { body, bodyLine: first } = splitFrontmatter(text) ?? { body: text, bodyLine: 1 }
  const at = (line: number, level: SkillFinding['level'], message: string) => ({
    file: 'SKILL.md',
    line,
    level,
    message,
  })
  const lines = body.split('\n').length
  const tokens = counter.text(body)
  const findings: SkillFinding[] = []
  if (body.trim() === '') findings.push(at(first, 'note', 'the skill has no text below its frontmatter'))
  if (lines > BODY.lines)
    findings.push(at(first, 'note', `the body has ${lines} lines; ${BODY.lines} should be enough`))
  if (tokens > BODY.tokens) {
    findings.push(at(first, 'note', `the body has ${tokens} tokens (${counter.id}); ${BODY.tokens} should be enough`))
  }
  for (const { line, target } of linksIn(text)) {
    const path = resolve(folder, target)
    if (!isWithin(resolve(folder), path)) {
      findings.push(
        at(line, 'note', `the link to ${target} leads out of the folder of the skill, and Foreword does not follow it`),
      )
    } else if (!(await isThere(path))) {
      findings.push(at(line, 'error', `there is no file ${target}`))
    }
  }
  return findings
}

interface Link {
  readonly line: number
  readonly target: string
}

/** Links to files, outside code. */
function linksIn(text: string): readonly Link[] {
  const links: Link[] = []
  let fence: string | undefined
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1]
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined
    else if (fence === undefined) {
      for (const [, written] of line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(\s*<?([^)\s<>]{1,1000})/g)) {
        const target = linkedFile(written!)
        if (target !== '') links.push({ line: index + 1, target })
      }
    }
  }
  return links
}

/** The file that a link names; empty for a web page or a place in this document. */
function linkedFile(written: string): string {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(written)) return ''
  const [path] = written.split(/[?#]/, 1)
  try {
    return decodeURIComponent(path!)
  } catch {
    return path!
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
