/** A heading that is one name in lower case, as things that are read by programs are named. Other headings belong to the text. */
const HEADING = /^## ([a-z0-9][\w.-]*)$/

/** The sections of a text that have a name of their own, with their headings, by name, without blank lines at the end. */
export function namedSections(text: string): ReadonlyMap<string, string> {
  const sections = new Map<string, string[]>()
  let current: string[] | undefined
  for (const line of text.split('\n')) {
    const name = HEADING.exec(line)?.[1]
    if (name !== undefined && !sections.has(name)) sections.set(name, (current = []))
    current?.push(line)
  }
  return new Map([...sections].map(([name, lines]) => [name, lines.join('\n').trimEnd()]))
}
