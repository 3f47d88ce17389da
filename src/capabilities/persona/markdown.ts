/** Paragraphs under a heading, a blank line between them. A heading without content is left out. */
export function section(heading: string, ...paragraphs: readonly string[]): string {
  const content = joined(...paragraphs)
  return content === '' ? '' : `${heading}\n\n${content}`
}

export function joined(...paragraphs: readonly string[]): string {
  return paragraphs
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .join('\n\n')
}

/** A line for each item that says something. A line break within an item becomes a space, so that no item can forge a line (BEHAVIOURS §2.1). */
export function bullets(items: readonly string[]): string {
  return items
    .map(oneLine)
    .filter((item) => item !== '')
    .map((item) => `- ${item}`)
    .join('\n')
}

/** `Label: value` in one line, or nothing where there is no value. */
export function labelled(label: string, value: string | null | undefined): string {
  const said = oneLine(value ?? '')
  return said === '' ? '' : `${label}: ${said}`
}

/** A text of several lines that holds no heading: a line that begins with `#` is escaped. */
export function withoutHeadings(text: string): string {
  return text.replaceAll(/^([ \t]*)(?=#)/gm, '$1\\')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*[\n\r\v\f\u0085\u2028\u2029]\s*/g, ' ').trim()
}
