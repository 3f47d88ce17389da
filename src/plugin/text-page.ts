/** Characters of one page: few enough to be shown whole. */
export const PAGE_CHARS = 12_000

/** A page of a long text, cut at whole characters, with a line that says where it stands and how to go on. */
export function textPage(text: string, offset: number, limit: number = PAGE_CHARS): string {
  if (offset > 0 && offset >= text.length) return `[the text ends at character ${text.length}]`
  const end = wholeCharacter(text, Math.min(text.length, offset + limit))
  const shown = text.slice(wholeCharacter(text, offset), end)
  return end < text.length
    ? `${shown}\n[characters ${offset} to ${end} of ${text.length}; go on with offset ${end}]`
    : shown
}

/** A pair of UTF-16 units is one character: half of it is none. */
function wholeCharacter(text: string, at: number): number {
  return at > 0 && at < text.length && /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at
}
