export interface TextWriter {
  readonly text: string
  /** In the order in which they end. */
  readonly marks: readonly Mark[]
  write(words: string): void
  /** Lines of code, without indentation. */
  writeCode(lines: string): void
  /** Line ends before the next words; none at the beginning. Of several calls the largest counts. */
  gap(lines: number): void
  /** Marks what `write` writes. */
  mark(kind: MarkKind, write: () => void): void
  /** Indents the further lines that `write` writes. */
  indent(blanks: string, write: () => void): void
}

export function textWriter(): TextWriter {
  const pieces: string[] = []
  const marks: Mark[] = []
  let length = 0
  let pending = 0
  let indentation = ''
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
        if (atLineStart) put(indentation)
        atLineStart = false
        put(line)
      }
    },

    writeCode(lines) {
      if (lines === '') return
      closeGap()
      put(lines)
      atLineStart = lines.endsWith('\n')
    },

    gap(lines) {
      pending = Math.max(pending, lines)
    },

    mark(kind, write) {
      closeGap()
      const start = length
      write()
      if (length > start) marks.push({ ...kind, start, end: length })
    },

    indent(blanks, write) {
      const before = indentation
      indentation += blanks
      write()
      indentation = before
    },
  }
}

/** The formatting of a range of the text, before Telegram's nesting rules. */
export type Mark = { readonly start: number; readonly end: number } & MarkKind

export type MarkKind =
  | { readonly type: Style }
  | { readonly type: 'code' | 'blockquote' }
  | { readonly type: 'pre'; readonly language?: string }
  | { readonly type: 'text_link'; readonly url: string }

export type Style = 'bold' | 'italic' | 'strikethrough'
