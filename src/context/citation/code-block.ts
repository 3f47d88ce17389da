import { isBlank, isFirst, isSpace, type Line, lineAfter, lineStart } from './line.ts'

export interface CodeBlocks {
  /** `perhaps`: in a line that opens a fence if no backtick follows in it. `ends`: a paragraph is over with this character. */
  take(char: string): { readonly code: 'no' | 'perhaps' | 'yes'; readonly ends: boolean }
}

interface Fence {
  readonly mark: string
  readonly length: number
  readonly column: number
  readonly quotes: number
  /** Nothing but spaces may follow any more. */
  readonly whole?: boolean
}

/**
 * Follows fenced and indented code, one character at a time. Fences of lists and quotes are fences too, as deep as they
 * stand; a fence that is never closed goes on to the end. Four spaces behind a blank line are code, but not in a list, where
 * they are how an item goes on.
 */
export function codeBlocks(): CodeBlocks {
  let line = lineStart
  /** Marks at the beginning of a line that may open or close a fence. */
  let run: Fence | undefined
  let opening: Fence | undefined
  let fence: Fence | undefined
  let indented = false
  let behindBlank = true
  let inList = false

  function take(char: string): ReturnType<CodeBlocks['take']> {
    const before = line
    line = lineAfter(line, char)
    if (char === '\n') return newline(before)
    if (fence) followClosing(fence, before, char)
    else if (isFirst(before, char)) begin(before, char)
    else followOpening(char)
    if (fence || indented) return { code: 'yes', ends: false }
    return { code: opening ? 'perhaps' : 'no', ends: false }
  }

  function begin(before: Line, char: string): void {
    const { column, quotes, listed } = before
    indented = column >= (quotes > 0 ? 5 : 4) && behindBlank && !inList && !listed
    if (indented) return
    if (listed) inList = true
    else if (behindBlank && column < 2) inList = false
    if (marks.includes(char)) run = { mark: char, length: 1, column, quotes }
  }

  function followOpening(char: string): void {
    if (run && char === run.mark) run = { ...run, length: run.length + 1 }
    else if (run) {
      opening = run.length >= 3 ? run : undefined
      run = undefined
    } else if (opening?.mark === '`' && char === '`') opening = undefined
  }

  function followClosing(open: Fence, before: Line, char: string): void {
    if (run) {
      if (isSpace(char)) run = { ...run, whole: true }
      else run = char === run.mark && !run.whole ? { ...run, length: run.length + 1 } : undefined
    } else if (char === open.mark && isBlank(before) && before.quotes === open.quotes) {
      const { column, quotes } = before
      if (column <= Math.max(3, open.column)) run = { mark: char, length: 1, column, quotes }
    }
  }

  function newline(before: Line): ReturnType<CodeBlocks['take']> {
    const marked = run
    const wasIndented = indented
    run = undefined
    indented = false
    if (fence) {
      behindBlank = marked !== undefined && marked.length >= fence.length
      if (behindBlank) fence = undefined
      return { code: 'yes', ends: false }
    }
    fence = opening ?? (marked && marked.length >= 3 ? marked : undefined)
    opening = undefined
    if (fence) return { code: 'yes', ends: true }
    const blank = isBlank(before)
    behindBlank = blank || wasIndented
    return { code: wasIndented ? 'yes' : 'no', ends: blank }
  }

  return { take }
}

const marks = '`~'
