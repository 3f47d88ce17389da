/** How far a line of markdown has come: its lead is indentation, quote marks and list marks; its body is the rest. */
export interface Line {
  /** `bullet`, `number`, `numbered`: a list mark that wants a space behind it, or else is the body. */
  readonly part: 'lead' | 'bullet' | 'number' | 'numbered' | 'body'
  /** Where the lead ends: from the beginning, or from the last quote mark; tabs reach to the next multiple of four. */
  readonly column: number
  readonly quotes: number
  /** The last list mark of the lead, such as `-` or `12.`; empty where there is none. */
  readonly mark: string
}

export const lineStart: Line = { part: 'lead', column: 0, quotes: 0, mark: '' }

/** The line with one more character. */
export function lineAfter(line: Line, char: string): Line {
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

/** Whether nothing stands in it but indentation and quote marks. */
export function isBlank({ part, mark }: Line): boolean {
  return part === 'lead' && mark === ''
}

/** Whether a character behind this lead is more than indentation or a quote mark. */
export function isFirst({ part }: Line, char: string): boolean {
  return part === 'lead' && !isSpace(char) && char !== '>' && char !== '\n'
}

export function isSpace(char: string): boolean {
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
