/** The body of a `SKILL.md`: what follows its frontmatter, trimmed; the text as it is where it has none (BEHAVIOURS §1.2). */
export function stripFrontmatter(text: string): string {
  return splitFrontmatter(text)?.body ?? text
}

interface SplitText {
  readonly frontmatter: string
  /** Line of the text on which the frontmatter begins, from 1. */
  readonly line: number
  /** What follows the second fence, trimmed. */
  readonly body: string
  /** Line of the text on which the body begins, from 1. */
  readonly bodyLine: number
}

/** After a byte order mark and blank lines, the first line must be `---`, and a later one too; else `undefined`. */
export function splitFrontmatter(text: string): SplitText | undefined {
  let start: number | undefined
  for (const { from, to, next } of textLines(text)) {
    const content = text.slice(from, to)
    if (start === undefined) {
      if (isFence(from === 0 ? content.replace(/^\uFEFF/, '') : content)) start = next
      // `trim` removes a byte order mark too, so the first line may begin with one.
      else if (content.trim() !== '') return undefined
    } else if (isFence(content)) {
      const rest = text.slice(next)
      const blank = rest.trim() === '' ? 0 : rest.length - rest.trimStart().length
      return {
        frontmatter: text.slice(start, from),
        line: lineAt(text, start),
        body: rest.trim(),
        bodyLine: lineAt(text, next + blank),
      }
    }
  }
  return undefined
}

function isFence(line: string): boolean {
  return line.startsWith('---') && line.slice(3).trim() === ''
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** Lazily: only as many lines as are asked for. */
function* textLines(text: string): Generator<{ from: number; to: number; next: number }> {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    const next = end === -1 ? text.length : end + 1
    const last = end === -1 ? text.length : end
    const to = last > from && text[last - 1] === '\r' ? last - 1 : last
    yield { from, to, next }
    from = next
  }
}
