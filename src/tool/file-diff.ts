import { cappedText } from './output-cap.ts'

/** Characters of a diff that are shown to a person. */
const MOST_CHARS = 100_000

/** Changed lines that a diff is worked out for: beyond that nobody reads it, and it would take long. */
const MOST_CHANGES = 2000

/** A change to one file as a unified diff; `before` is `undefined` where the file is new. */
export async function fileDiff(shown: string, before: string | undefined, after: string): Promise<string> {
  if (before === undefined) return cappedText(wholeFile(shown, after), MOST_CHARS)
  // Loaded late: only who changes files needs it.
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff')
  const diff = createTwoFilesPatch(`a/${shown}`, `b/${shown}`, before, after, undefined, undefined, {
    maxEditLength: MOST_CHANGES,
    headerOptions: FILE_HEADERS_ONLY,
  })
  return cappedText(diff ?? tooLarge(shown, before, after), MOST_CHARS)
}

/** A new file: every line is one that was added, so there is nothing to work out. */
function wholeFile(shown: string, text: string): string {
  const header = `--- /dev/null\n+++ b/${shown}\n`
  if (text === '') return header
  const ends = text.endsWith('\n')
  const lines = (ends ? text.slice(0, -1) : text).split('\n').map((line) => `+${line}\n`)
  return `${header}@@ -0,0 +1,${lines.length} @@\n${lines.join('')}${ends ? '' : '\\ No newline at end of file\n'}`
}

function tooLarge(shown: string, before: string, after: string): string {
  const counts = `${linesIn(before)} lines become ${linesIn(after)}`
  return `--- a/${shown}\n+++ b/${shown}\n[too many changes to show: ${counts}]\n`
}

function linesIn(text: string): number {
  const breaks = text.split('\n').length
  return text === '' || text.endsWith('\n') ? breaks - 1 : breaks
}
