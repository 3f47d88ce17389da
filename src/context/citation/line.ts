/** How far a line of markdown has come: its lead is indentation, quote marks and list marks; its body is the rest. */
export interface Line {
  /** `bullet`, `number`, `numbered`: a list mark that wants a space behind it, or else is the body. */
  readonly part: 'lead' | 'bullet' | 'number' | 'numbered' | 'body'
  /** Characters since the beginning or the last quote mark, a tab as four; in the lead. */
  readonly column: number
  readonly quotes: number
  /** A list mark stands in the lead. */
  readonly listed: boolean
}

export const lineStart: Line = { part: 'lead', column: 0, quotes: 0, listed: false }

/** The line with one more character. */
export function lineAfter(line: Line, char: string): Line {
  if (char === '\n') return lineStart
  if (line.part === 'body') return line
  if (line.part === 'lead') return leadAfter(line, char)
  const column = line.column + width(char)
  if (isSpace(char)) return line.part === 'number' ? body : { ...line, part: 'lead', column, listed: true }
  if (line.part !== 'number') return body
  if (char === '.' || char === ')') return { ...line, part: 'numbered', column }
  return isDigit(char) ? { ...line, column } : body
}

/** Whether nothing stands in it but indentation and quote marks. */
export function isBlank({ part, listed }: Line): boolean {
  return part === 'lead' && !listed
}

/** Whether a character would be the first of its line that is more than indentation or a quote mark. */
export function isFirst({ part }: Line, char: string): boolean {
  return part === 'lead' && !isSpace(char) && char !== '>' && char !== '\n'
}

export function isSpace(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\r'
}

function leadAfter(line: Line, char: string): Line {
  const column = line.column + width(char)
  if (isSpace(char)) return { ...line, column }
  if (char === '>') return { ...line, column: 0, quotes: line.quotes + 1 }
  if (char === '-' || char === '*' || char === '+') return { ...line, part: 'bullet', column }
  return isDigit(char) ? { ...line, part: 'number', column } : body
}

const body: Line = { ...lineStart, part: 'body' }

function width(char: string): number {
  return char === '\t' ? 4 : 1
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9'
}
