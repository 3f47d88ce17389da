import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { TokenCounter } from '../../../context.ts'
import { isWithin } from '../../../capability.ts'
import type { SkillFinding } from './skill-finding.ts'
import { splitFrontmatter } from './strip-frontmatter.ts'

/** The body of a skill should be shorter than this; what is longer belongs into files of its own. */
const BODY = { lines: 500, tokens: 5_000 }

/** Lints the body of a `SKILL.md`: its length, and whether the files that it links to are there. */
export async function bodyFindings(
  text: string,
  folder: string,
  counter: TokenCounter,
): Promise<readonly SkillFinding[]> {
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
  if (body.trim() === '') findings.push(at(first, 'note', 'the skill says nothing below its frontmatter'))
  if (lines > BODY.lines)
    findings.push(at(first, 'note', `the body has ${lines} lines; ${BODY.lines} should be enough`))
  if (tokens > BODY.tokens) {
    findings.push(at(first, 'note', `the body has ${tokens} tokens (${counter.id}); ${BODY.tokens} should be enough`))
  }
  for (const { line, target } of linksIn(text)) {
    const path = resolve(folder, target)
    if (!isWithin(resolve(folder), path)) {
      findings.push(
        at(line, 'note', `the link to ${target} leads out of the folder of the skill, where nobody may follow`),
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
        const target = fileOf(written!)
        if (target !== '') links.push({ line: index + 1, target })
      }
    }
  }
  return links
}

/** The file that a link names; nothing where it names a page elsewhere or a place in this one. */
function fileOf(written: string): string {
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
