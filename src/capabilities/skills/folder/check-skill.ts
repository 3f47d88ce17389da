import { readdir, stat } from 'node:fs/promises'
import { isWithin } from '../../../platform.ts'
import { basename, join, resolve } from 'node:path'
import { neutralizedWords, neutralText, type TokenCounter, phrase } from '../../../context.ts'
import { readText, sentDefinition } from '../../../tool.ts'
import type { ToolFile } from '../skill.ts'
import { frontmatterFindings, type SkillFinding, splitFrontmatter } from './read-frontmatter.ts'
import { isBuiltInName } from '../../tool-names.ts'
import type { FindBinary } from './requirements.ts'
import { describeUnread, readToolTexts, toolFilesAmong } from './load-skills.ts'

/** Lints a skill's folder against the Agent Skills standard, in order of files and lines. Never rejects. */
export async function checkSkill(
  path: string,
  counter: TokenCounter,
  findBinary?: FindBinary,
): Promise<readonly SkillFinding[]> {
  const folder = resolve(path)
  const names = await readdir(folder).catch(() => undefined)
  if (!names) return [failure('SKILL.md', phrase`it cannot be read: no such folder, or no permission`)]
  if (!names.includes('SKILL.md')) {
    const near = names.find((name) => name.toLowerCase() === 'skill.md')
    const none = phrase`the folder has no SKILL.md: name the folder of a skill, or create one with \`foreword skills new NAME\``
    return [failure('SKILL.md', near === undefined ? none : phrase`rename ${near} to SKILL.md, in capitals`)]
  }
  return [
    ...(await documentFindings(folder, counter)),
    ...(await toolsFindings(folder, toolFilesAmong(names), findBinary)),
  ]
}

async function documentFindings(folder: string, counter: TokenCounter): Promise<readonly SkillFinding[]> {
  const found = await readText(join(folder, 'SKILL.md'))
  if (found.type !== 'text') return [failure('SKILL.md', describeUnread(found))]
  const findings = [
    ...frontmatterFindings(found.text, basename(folder)),
    ...(await bodyFindings(found.text, folder, counter)),
    ...signFindings(found.text),
  ]
  return findings.toSorted((one, other) => one.line - other.line)
}

async function toolsFindings(
  folder: string,
  files: readonly ToolFile[],
  findBinary: FindBinary | undefined,
): Promise<readonly SkillFinding[]> {
  const { texts: toolFiles, unread } = await readToolTexts(folder, files, readText)
  const [fault] = unread
  if (fault !== undefined) return [failure(...fault)]
  if (toolFiles === undefined) return []
  const { skillTools } = await import('../executor/skill-tools.ts')
  const { findings, tools: declared } = await skillTools(
    { name: basename(folder), folder, toolFiles },
    { workspace: folder, environment: {}, allowScripts: true, ...(findBinary && { findBinary }) },
  )
  const reserved = declared.filter(({ name }) => isBuiltInName(name))
  return [
    ...findings.map((finding) => ({ ...finding, line: 1 })),
    ...declared.flatMap((tool) => {
      const words = neutralizedWords(sentDefinition(tool).definition.neutralized ?? {})
      return words === '' ? [] : [signNote('tools.json', 1, phrase`the definition of ${tool.name} has ${words}`)]
    }),
    ...reserved.map(({ name }) =>
      failure('tools.json', phrase`${name} is the name of a tool of Foreword, so this one is left out`),
    ),
  ]
}

const MOST_SIGN_LINES = 20

/** Lines with signs that work on their own: they are sent written out. */
function signFindings(text: string): readonly SkillFinding[] {
  const noted = text.split('\n').flatMap((line, index) => {
    const words = neutralizedWords(neutralText(line.replace(/\r$/, '')).found)
    return words === '' ? [] : [signNote('SKILL.md', index + 1, phrase`the line has ${words}`)]
  })
  return noted.slice(0, MOST_SIGN_LINES)
}

function signNote(file: string, line: number, what: string): SkillFinding {
  return { file, line, level: 'note', message: phrase`${what}: where it is sent without a frame, that is written out` }
}

function failure(file: string, message: string): SkillFinding {
  return { file, line: 1, level: 'error', message }
}

/** The body of a skill should be shorter than this; longer material belongs in files of its own. */
const BODY = { lines: 500, tokens: 5_000 }

/** Lints the body of a `SKILL.md`: its length, and whether the files that it links to are there. */
async function bodyFindings(text: string, folder: string, counter: TokenCounter): Promise<readonly SkillFinding[]> {
  const { body, bodyLine: first } = splitFrontmatter(text) ?? { body: text, bodyLine: 1 }
  const findings: SkillFinding[] = []
  const report = (line: number, level: SkillFinding['level'], message: string) =>
    findings.push({ file: 'SKILL.md', line, level, message })
  const lines = body.split('\n').length
  const tokens = counter.text(body)
  if (body.trim() === '') report(first, 'note', phrase`the skill has no text below its frontmatter`)
  if (lines > BODY.lines) report(first, 'note', phrase`the body has ${lines} lines; ${BODY.lines} should be enough`)
  if (tokens > BODY.tokens) {
    report(first, 'note', phrase`the body has ${tokens} tokens (${counter.id}); ${BODY.tokens} should be enough`)
  }
  for (const { line, target } of linksIn(text)) {
    const path = resolve(folder, target)
    if (!isWithin(resolve(folder), path)) {
      report(
        line,
        'note',
        phrase`the link to ${target} leads out of the folder of the skill, and Foreword does not follow it`,
      )
    } else if ((await stat(path).catch(() => undefined)) === undefined) {
      report(line, 'error', phrase`the skill has no file ${target}, which this line links to`)
    }
  }
  return findings
}

function linksIn(text: string) {
  const links: { readonly line: number; readonly target: string }[] = []
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
