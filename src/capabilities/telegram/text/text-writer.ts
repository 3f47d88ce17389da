import type { Mark, MarkKind } from './mark.ts'

/** Collects a text and what its stretches are. */
export interface TextWriter {
  readonly text: string
  /** In the order in which they ended. */
  readonly marks: readonly Mark[]
  write(words: string): void
  /** Lines of code: no line is set in. */
  writeAsItIs(lines: string): void
  /** So many line ends before whatever comes next; none at the beginning. The most that was asked for counts. */
  gap(lines: number): void
  /** What `say` writes is that. */
  within(kind: MarkKind, say: () => void): void
  /** Further lines that `say` writes are set in by so much more. */
  setIn(blanks: string, say: () => void): void
}

export function textWriter(): TextWriter {
  const pieces: string[] = []
  const marks: Mark[] = []
  let length = 0
  let pending = 0
  let indent = ''
  let atLineStart = false

  function put(piece: string): void {
    pieces.push(piece)
    length += piece.length
  }

  function closeGap(): void {
    if (length > 0 && pending > 0) {
      put('\n'.repeat(pending))
      atLineStart = true
    }
    pending = 0
  }

  return {
    get text() {
      return pieces.join('')
    },
    marks,

    write(words) {
      if (words === '') return
      closeGap()
      for (const [index, line] of words.split('\n').entries()) {
        if (index > 0) {
          put('\n')
          atLineStart = true
        }
        if (line === '') continue
        if (atLineStart) put(indent)
        atLineStart = false
        put(line)
      }
    },

    writeAsItIs(lines) {
      if (lines === '') return
      closeGap()
      put(lines)
      atLineStart = lines.endsWith('\n')
    },

    gap(lines) {
      pending = Math.max(pending, lines)
    },

    within(kind, say) {
      closeGap()
      const start = length
      say()
      if (length > start) marks.push({ ...kind, start, end: length })
    },

    setIn(blanks, say) {
      const before = indent
      indent += blanks
      say()
      indent = before
    },
  }
}
