interface CodeBlocks {
  /** `perhaps`: in a line that opens a fence if no backtick follows in it. `ends`: the paragraph before is over. */
  take(char: string): { readonly code: 'no' | 'perhaps' | 'yes'; readonly ends: boolean }
}

/**
 * Follows paragraphs, fenced code and indented code, one character at a time, as CommonMark has them: in lists and quotes
 * too. A fence that is never closed continues to the end.
 */
export function codeBlocks(): CodeBlocks {
  let line = lineStart
  /** Marks at the beginning of a line that may open or close a fence. */
  let run: Fence | undefined
  let opening: Fence | undefined
  let fence: Fence | undefined
  let indented = false
  let inParagraph = false
  let quotes = 0
  /** Where the text of each open list item begins, outermost first. */
  let items: readonly number[] = []
  let markColumn = 0
  /** The marks of a heading, with the space behind them once it is there. */
  let hashes = ''
  /** The character of which alone the line is made: it underlines or separates. */
  let rule = ''

  function take(char: string): ReturnType<CodeBlocks['take']> {
    const before = line
    line = lineAfter(line, char)
    if (char === '\n') return newline(before)
    if (fence && isLeft(fence, before, char)) fence = run = undefined
    if (!fence && !inParagraph && char === '>' && isBlank(before)) indented ||= before.column >= deep(items, quotes)
    let ends = false
    if (fence) run = closingRun(fence, run, before, char)
    else if (!indented && isFirst(before, char))
      ends = before.mark === '' ? begin(before, char) : beginItem(before, char)
    else ends = follow(char)
    if (fence || indented) return { code: 'yes', ends }
    return { code: opening ? 'perhaps' : 'no', ends }
  }

  /** The first character of a line. Answers whether it ends the paragraph before. */
  function begin(before: Line, char: string): boolean {
    const { column } = before
    const otherQuote = inParagraph ? before.quotes > quotes : before.quotes !== quotes
    if (otherQuote) items = []
    const outer = items.filter((item) => item <= column)
    const isShallow = column < deep(outer, before.quotes)
    // A row of a table ends the paragraph.
    const ends = inParagraph && (otherQuote || (isShallow && char === '|'))
    if (ends) inParagraph = false
    if (!inParagraph) {
      quotes = before.quotes
      items = outer
      indented = !isShallow
    }
    markColumn = column
    if (isShallow) beginBlock(before, char, outer)
    return ends
  }

  /** The first character behind a list mark: of a new item, unless the mark is part of a paragraph. */
  function beginItem(before: Line, char: string): boolean {
    const outer = items.filter((item) => item <= markColumn)
    const isMark =
      markColumn < deep(outer, quotes) && (!inParagraph || items.length > 0 || /^(?:1.|\D)$/.test(before.mark))
    if (!isMark) return false
    const end = markColumn + before.mark.length
    indented = before.column - end > 4
    items = [...outer.slice(0, deepest), indented ? end + 1 : before.column]
    markColumn = before.column
    inParagraph = false
    if (!indented) beginBlock(before, char, items)
    return true
  }

  function beginBlock(before: Line, char: string, outer: readonly number[]): void {
    hashes = char === '#' ? char : ''
    rule = '-=*_'.includes(char) ? char : ''
    if (char === '`' || char === '~') run = { mark: char, length: 1, quotes: before.quotes, item: outer.at(-1) ?? 0 }
  }

  /** A further character of a line. Answers whether it ends the paragraph before. */
  function follow(char: string): boolean {
    if (char !== rule && !isSpace(char)) rule = ''
    if (run && char === run.mark) run = { ...run, length: run.length + 1 }
    else if (run) {
      opening = run.length >= 3 ? run : undefined
      run = undefined
    } else if (opening?.mark === '`' && char === '`') opening = undefined
    if (hashes === '' || isHeading()) return false
    hashes = hashes.length < 7 && (char === '#' || isSpace(char)) ? hashes + char : ''
    return isHeading()
  }

  function isHeading(): boolean {
    return /^#{1,6}\s$/.test(hashes)
  }

  function newline(before: Line): ReturnType<CodeBlocks['take']> {
    const marked = run
    run = undefined
    if (fence) {
      if (marked && marked.length >= fence.length) fence = undefined
      return { code: 'yes', ends: false }
    }
    fence = opening ?? (marked && marked.length >= 3 ? marked : undefined)
    opening = undefined
    const begun = fence
    if (begun) items = items.filter((item) => item <= begun.item)
    const ends = begun !== undefined || leave(before) || /^#{1,6}\s?$/.test(hashes) || rule !== ''
    const code = fence || indented ? 'yes' : 'no'
    inParagraph = !ends && !indented
    indented = false
    hashes = rule = ''
    return { code, ends }
  }

  /** A line without text. Answers whether it ends the paragraph before. */
  function leave(before: Line): boolean {
    if (before.part !== 'lead' || indented) return false
    if (before.mark === '') {
      if (before.quotes !== quotes && before.quotes > 0) items = []
      quotes = Math.max(quotes, before.quotes)
      return true
    }
    if (inParagraph && items.length === 0 && before.quotes >= quotes) return false
    items = items.filter((item) => item <= markColumn)
    return true
  }

  return { take }
}

/** The deepest nesting of list items that is followed; deeper ones count as siblings. */
const deepest = 30

/** How far a line of markdown has come: its lead is indentation, quote marks and list marks; its body is the rest. */
interface Line {
  /** `bullet`, `number`, `numbered`: a list mark that wants a space behind it, or else is the body. */
  readonly part: 'lead' | 'bullet' | 'number' | 'numbered' | 'body'
  /** Where the lead ends: from the beginning, or from the last quote mark; tabs reach to the next multiple of four. */
  readonly column: number
  readonly quotes: number
  /** The last list mark of the lead, such as `-` or `12.`; empty where there is none. */
  readonly mark: string
}

const lineStart: Line = { part: 'lead', column: 0, quotes: 0, mark: '' }

function lineAfter(line: Line, char: string): Line {
  if (char === '\n') return lineStart
  if (line.part === 'body') return line
  const column = line.column + (char === '\t' ? 4 - (line.column % 4) : 1)
  if (line.part === 'lead') return leadAfter(line, char, column)
  if (isSpace(char)) return line.part === 'number' ? body : { ...line, part: 'lead', column }
  const mark = line.mark + char
  if (line.part !== 'number' || mark.length > longestMark) return body
  if (char === '.' || char === ')') return { ...line, part: 'numbered', column, mark }
  return isDigit(char) ? { ...line, column, mark } : body
}

/** Whether it contains nothing but indentation and quote marks. */
function isBlank({ part, mark }: Line): boolean {
  return part === 'lead' && mark === ''
}

/** Whether a character behind this lead is more than indentation or a quote mark. */
function isFirst({ part }: Line, char: string): boolean {
  return part === 'lead' && !isSpace(char) && char !== '>' && char !== '\n'
}

function isSpace(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\r'
}

function leadAfter(line: Line, char: string, column: number): Line {
  if (isSpace(char)) return { ...line, column }
  if (char === '>') return { ...line, column: 0, quotes: line.quotes + 1, mark: '' }
  if (char === '-' || char === '*' || char === '+') return { ...line, part: 'bullet', column, mark: char }
  return isDigit(char) ? { ...line, part: 'number', column, mark: char } : body
}

const body: Line = { ...lineStart, part: 'body' }

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9'
}

/** Nine digits and a period. */
const longestMark = 10

/** What opens a fence, or might close one. */
interface Fence {
  readonly mark: string
  readonly length: number
  readonly quotes: number
  /** The column at which the text of its list item begins; 0 outside lists. A line further left is outside. */
  readonly item: number
  /** Nothing but spaces may follow any more. */
  readonly whole?: boolean
}

/** The marks that might close an open fence, with one more character of their line behind `line`. */
function closingRun(open: Fence, run: Fence | undefined, line: Line, char: string): Fence | undefined {
  if (!run) {
    const canClose = char === open.mark && isBlank(line) && line.quotes === open.quotes
    return canClose && line.column < deep([open.item], open.quotes) ? { ...open, length: 1 } : undefined
  }
  if (isSpace(char)) return { ...run, whole: true }
  return char === run.mark && !run.whole ? { ...run, length: run.length + 1 } : undefined
}

/** Whether a line begins outside the list item or the quote of a fence. */
function isLeft({ item, quotes }: Fence, line: Line, char: string): boolean {
  return isFirst(line, char) && line.mark === '' && (line.column < item || line.quotes < quotes)
}

/** The column from which on text is indented code: four behind where the text of its list item or quote begins. */
function deep(items: readonly number[], quotes: number): number {
  return Math.max(items.at(-1) ?? 0, quotes > 0 ? 1 : 0) + 4
}
