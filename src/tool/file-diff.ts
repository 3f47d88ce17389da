import { truncateText } from './output-cap.ts'

/** Characters of a diff that are shown to a person. */
const MOST_CHARS = 100_000

/** The most changed lines that a diff is computed for: computing more takes long, and nobody reads it. */
const MOST_CHANGES = 2000

/** A change to one file as a unified diff; `before` is `undefined` where the file is new. */
export async function fileDiff(shown: string, before: string | undefined, after: string): Promise<string> {
  if (before === undefined) return truncateText(wholeFile(shown, after), MOST_CHARS)
  // Loaded late: only who changes files needs it.
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import('diff')
  // What both begin with is long where little was added to much: it is counted, not compared line by line.
  const { length, lines } = sharedLines(before, after)
  const [old, now] = [before.slice(length), after.slice(length)]
  const patch = structuredPatch(`a/${shown}`, `b/${shown}`, old, now, undefined, undefined, {
    context: CONTEXT,
    maxEditLength: MOST_CHANGES,
  })
  if (patch === undefined) return tooLarge(shown, before, after)
  const hunks = patch.hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + lines,
    newStart: hunk.newStart + lines,
  }))
  return truncateText(formatPatch({ ...patch, hunks }, FILE_HEADERS_ONLY), MOST_CHARS)
}

/** Unchanged lines that are shown on both sides of a change. */
const CONTEXT = 4

/** Whole lines with which both texts begin, but for those that a difference shows above its first change. */
function sharedLines(before: string, after: string): { readonly length: number; readonly lines: number } {
  const most = Math.min(before.length, after.length)
  let same = 0
  while (same < most && before.charCodeAt(same) === after.charCodeAt(same)) same++
  let length = same
  for (let kept = 0; kept <= CONTEXT; kept++) length = length < 2 ? 0 : before.lastIndexOf('\n', length - 2) + 1
  return { length, lines: before.slice(0, length).split('\n').length - 1 }
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
