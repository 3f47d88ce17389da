import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodes, type ErrorKind } from '../../src/server/error-codes.ts'

const guideFile = join(import.meta.dirname, '..', '..', 'docs', 'guide', 'http.md')
const begin = /<!-- errors: begin.*-->\n/
const end = '<!-- errors: end -->'

/** The table of error codes as the guide has it. */
export function errorTableInGuide(): string {
  const guide = readFileSync(guideFile, 'utf8')
  return guide.slice(startIn(guide), guide.indexOf(end))
}

/** The table of error codes as the gateway has it. */
export function errorTable(): string {
  const rows = Object.entries<ErrorKind>(errorCodes).map(([code, { status, meaning, openai }]) => {
    const other = openai && [openai.status, `\`${openai.code}\``].filter((part) => part !== undefined).join(' ')
    return `| ${status} | \`${code}\` | ${other ?? ''} | ${meaning} |`
  })
  return ['\n| status | code | under `/v1` | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n').concat('\n\n')
}

function startIn(guide: string): number {
  const match = begin.exec(guide)
  if (match === null) throw new Error(`${guideFile} has lost the mark where its table of errors begins`)
  return match.index + match[0].length
}

if (import.meta.main) {
  const guide = readFileSync(guideFile, 'utf8')
  writeFileSync(guideFile, guide.slice(0, startIn(guide)) + errorTable() + guide.slice(guide.indexOf(end)))
}
