import { cappedText } from '../../tool.ts'

/** Characters of a diff that are shown to a person. */
const MOST_CHARS = 100_000

/** Changed lines that a diff is worked out for: beyond that nobody reads it, and it would take long. */
const MOST_CHANGES = 4000

/** A change to one file as a unified diff; `before` is `undefined` where the file is new. */
export async function fileDiff(shown: string, before: string | undefined, after: string): Promise<string> {
  // Loaded late: only who changes files needs it.
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff')
  const from = before === undefined ? '/dev/null' : `a/${shown}`
  const diff = createTwoFilesPatch(from, `b/${shown}`, before ?? '', after, undefined, undefined, {
    maxEditLength: MOST_CHANGES,
    headerOptions: FILE_HEADERS_ONLY,
  })
  return cappedText(diff ?? tooLarge(from, shown, before ?? '', after), MOST_CHARS)
}

function tooLarge(from: string, shown: string, before: string, after: string): string {
  const counts = `${linesIn(before)} lines become ${linesIn(after)}`
  return `--- ${from}\n+++ b/${shown}\n[too many changes to show: ${counts}]\n`
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.split('\n').length
}
