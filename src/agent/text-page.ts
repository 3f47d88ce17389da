/** Characters of one page: few enough to be shown whole. */
const PAGE_CHARS = 12_000

/** A page of a long text, with a line that says where it stands and how to go on. */
export function page(text: string, offset: number): string {
  if (offset >= text.length && offset > 0) return `[the text ends at character ${text.length}]`
  const shown = text.slice(offset, offset + PAGE_CHARS)
  const end = offset + shown.length
  return end < text.length
    ? `${shown}\n[characters ${offset} to ${end} of ${text.length}; go on with offset ${end}]`
    : shown
}
