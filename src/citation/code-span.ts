export interface CodeSpans {
  /** `escaped`: a backslash stands in front. Answers when a span is closed before this character. */
  take(char: string, escaped: boolean): SpanVerdict | undefined
  /** The paragraph is over, and with it every span. */
  end(): SpanVerdict | undefined
  isOpen(): boolean
}

/** What the characters since the backticks were. */
export type SpanVerdict = 'code' | 'prose'

/**
 * Follows inline code, one character at a time. A span is opened by backticks and closed by as many; what is not closed in
 * its paragraph was no code. If other runs of backticks stand in it, one of those may have opened code: it is then taken for
 * code to the end.
 */
export function codeSpans(): CodeSpans {
  let run = 0
  let open = 0
  let mixed = false

  function take(char: string, escaped: boolean): SpanVerdict | undefined {
    if (char !== '`' || (escaped && open === 0)) return runEnd()
    run += 1
    return undefined
  }

  function runEnd(): SpanVerdict | undefined {
    const length = run
    run = 0
    if (length === 0) return undefined
    if (open === length) {
      open = 0
      return 'code'
    }
    mixed = open > 0
    if (open === 0) open = length
    return undefined
  }

  function end(): SpanVerdict | undefined {
    const closed = runEnd()
    if (open === 0) return closed
    open = 0
    return mixed ? 'code' : 'prose'
  }

  return { take, end, isOpen: () => open > 0 }
}
