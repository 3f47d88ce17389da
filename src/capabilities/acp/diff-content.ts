export interface ChangedText {
  /** The line where it begins, from 1. */
  readonly line: number
  /** `null`: the file is new. */
  readonly oldText: string | null
  readonly newText: string
}

/**
 * The places that a unified diff of one file changes, with the unchanged lines around. Empty for a diff that only
 * counts its lines or was shortened.
 */
export function changedTexts(diff: string): readonly ChangedText[] {
  if (!COMPLETE.test(diff)) return []
  const isNew = diff.startsWith('--- /dev/null\n')
  const [, ...hunks] = diff.split(/^(?=@@ -\d)/m)
  const places = hunks.map((hunk) => changedText(hunk, isNew))
  return places.every((place) => place !== undefined) ? places : []
}

/** The two lines that name the file, and places after them. */
const COMPLETE = /^--- .*\n\+\+\+ .*\n@@ -\d/

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

function changedText(hunk: string, isNew: boolean): ChangedText | undefined {
  const [head = '', ...lines] = hunk.replace(/\n$/, '').split('\n')
  const [, , oldCount = '1', newStart = '1', newCount = '1'] = HEAD.exec(head) ?? []
  const before = sideOf(lines, '-')
  const after = sideOf(lines, '+')
  // A diff that was shortened has fewer lines than it says.
  if (before.lines !== Number(oldCount) || after.lines !== Number(newCount)) return undefined
  return { line: Math.max(1, Number(newStart)), oldText: isNew ? null : before.text, newText: after.text }
}

function sideOf(lines: readonly string[], sign: '-' | '+'): { readonly text: string; readonly lines: number } {
  let text = ''
  let count = 0
  let isOfSide = false
  for (const line of lines) {
    // `\ No newline at end of file` is about the line above it.
    if (line.startsWith('\\')) {
      if (isOfSide) text = text.slice(0, -1)
      continue
    }
    isOfSide = line.startsWith(' ') || line.startsWith(sign)
    if (!isOfSide) continue
    text += `${line.slice(1)}\n`
    count += 1
  }
  return { text, lines: count }
}
