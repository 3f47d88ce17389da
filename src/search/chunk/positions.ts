/** Where in a document a character stands, as people say it. */
export interface Position {
  /** From 1; absent where the document has no pages. */
  readonly page?: number
  /** From 1. */
  readonly line: number
}

/** Tells the page and line of positions that are asked for in ascending order, in one pass over the text. */
export function positionsIn(text: string, pages: readonly number[] = []): (start: number) => Position {
  let line = 1
  let page = 0
  let next = text.indexOf('\n')
  return (start) => {
    while (next !== -1 && next < start) {
      line += 1
      next = text.indexOf('\n', next + 1)
    }
    while (page < pages.length && pages[page]! <= start) page += 1
    return pages.length === 0 ? { line } : { page: Math.max(page, 1), line }
  }
}
