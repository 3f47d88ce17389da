/** What plain lines say of a skill. */
export interface FieldLines {
  readonly name?: string
  readonly description?: string
}

/**
 * Reads `name` and `description` as `key: rest of the line` (BEHAVIOURS §1.1), for frontmatter that is no YAML. Where the
 * line only says that a text follows (`|`, `>`), that is the lines further in. Quotes around the whole are taken off.
 */
export function readFieldLines(frontmatter: string): FieldLines {
  const lines = frontmatter.split(/\r?\n/)
  const textOf = (key: string): string | undefined => {
    const at = lines.findIndex((line) => line.startsWith(`${key}:`))
    if (at < 0) return undefined
    const first = lines[at]!.slice(key.length + 1).trim()
    const text = isBlockMark(first) ? indented(lines.slice(at + 1)) : unquoted(first)
    return text === '' ? undefined : text
  }
  const [name, description] = [textOf('name'), textOf('description')]
  return { ...(name !== undefined && { name }), ...(description !== undefined && { description }) }
}

/** What says in YAML that a text follows on the next lines. */
function isBlockMark(text: string): boolean {
  return /^[|>][-+\d]*$/.test(text)
}

function indented(lines: readonly string[]): string {
  const end = lines.findIndex((line) => !/^\s/.test(line))
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .map((line) => line.trim())
    .join(' ')
    .trim()
}

function unquoted(text: string): string {
  const [, , inside] = /^(["'])(.*)\1$/s.exec(text) ?? []
  return inside?.trim() ?? text
}
