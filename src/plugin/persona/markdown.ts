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

/** A line for each item that says something. Further lines of an item are indented, so that none passes for a new one. */
export function bullets(items: readonly string[]): string {
  return items
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => `- ${item.replaceAll(/\r\n?|\n/g, '\n  ')}`)
    .join('\n')
}

/** `Label: value`, or nothing where there is no value. */
export function labelled(label: string, value: string | null | undefined): string {
  const said = value?.trim() ?? ''
  return said === '' ? '' : `${label}: ${said}`
}
