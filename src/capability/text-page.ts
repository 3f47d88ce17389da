import { wholeCharacter } from '../context.ts'

/** Characters of one page: few enough to be shown whole. */
export const PAGE_CHARS = 12_000

/** A page of a long text, cut at whole characters, with a line about its position and how to continue. */
export function textPage(text: string, offset: number, limit: number = PAGE_CHARS): string {
  if (offset > 0 && offset >= text.length) return `[the text ends at character ${text.length}]`
  const end = wholeCharacter(text, Math.min(text.length, offset + limit))
  const shown = text.slice(wholeCharacter(text, offset), end)
  return end < text.length
    ? `${shown}\n[characters ${offset} to ${end} of ${text.length}; go on with offset ${end}]`
    : shown
}
