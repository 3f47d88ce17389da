import { isBlank, isFirst, isSpace, type Line } from './line.ts'

/** What opens a fence, or might close one. */
export interface Fence {
  readonly mark: string
  readonly length: number
  readonly quotes: number
  /** Where the text of the list item begins in which it stands; 0 in none. A line further left is outside. */
  readonly item: number
  /** Nothing but spaces may follow any more. */
  readonly whole?: boolean
}

/** The marks that might close an open fence, with one more character of their line behind `line`. */
export function closingRun(open: Fence, run: Fence | undefined, line: Line, char: string): Fence | undefined {
  if (!run) {
    const canClose = char === open.mark && isBlank(line) && line.quotes === open.quotes
    return canClose && line.column < deep([open.item], open.quotes) ? { ...open, length: 1 } : undefined
  }
  if (isSpace(char)) return { ...run, whole: true }
  return char === run.mark && !run.whole ? { ...run, length: run.length + 1 } : undefined
}

/** Whether a line begins outside the list item or the quote in which a fence stands. */
export function isLeft({ item, quotes }: Fence, line: Line, char: string): boolean {
  return isFirst(line, char) && line.mark === '' && (line.column < item || line.quotes < quotes)
}

/** The column from which on text is indented code: four behind where the text of its list item or quote begins. */
export function deep(items: readonly number[], quotes: number): number {
  return Math.max(items.at(-1) ?? 0, quotes > 0 ? 1 : 0) + 4
}
