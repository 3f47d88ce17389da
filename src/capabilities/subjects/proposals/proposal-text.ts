/** A text with more at its end: as lines of its own, behind a blank line, in the line ends that the text has. */
export function appendLines(before: string, content: string): string {
  const end = /\r\n/.test(before) && !/(?<!\r)\n/.test(before) ? '\r\n' : '\n'
  const block = `${content.split('\n').join(end)}${end}`
  if (before === '') return block
  const closed = /[\r\n]$/.test(before) ? before : `${before}${end}`
  return endsWithBlankLine(closed) ? `${closed}${block}` : `${closed}${end}${block}`
}

/** A range of whole lines in a text, whatever the line ends: from the first character to behind the last line end. */
export interface LineRange {
  readonly start: number
  readonly end: number
}

/** Every range that has the lines of `content`. */
export function findLines(text: string, content: string): readonly LineRange[] {
  const lines = linesOf(text)
  // One search for a text is far quicker than one for each line.
  const searched = `\n${lines.map(({ said }) => said).join('\n')}\n`
  const sought = `\n${content}\n`
  const height = content.split('\n').length
  const found: LineRange[] = []
  let line = 0
  let counted = 0
  for (let at = searched.indexOf(sought); at !== -1; at = searched.indexOf(sought, at + 1)) {
    for (; counted < at; counted++) if (searched[counted] === '\n') line++
    found.push({ start: lines[line]!.start, end: lines[line + height - 1]!.end })
  }
  return found
}

/** A text without lines that were added with `appendLines`. All text around them stays. */
export function removeLines(text: string, { start, end }: LineRange, addedTo: string): string {
  const head = text.slice(0, start)
  const addedBlank = addedTo !== '' && !endsWithBlankLine(addedTo)
  const kept = addedBlank && endsWithBlankLine(head) ? head.replace(/(?:\r\n|\n|\r)$/, '') : head
  return `${kept}${text.slice(end)}`
}

/** Lines of a proposal as they are kept: without blank ones around them, and with one kind of line end. */
export function trimLines(content: string): string {
  return content
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd()
}

/** It ends with a blank line. */
function endsWithBlankLine(text: string): boolean {
  return /(?:^|\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r)$/.test(text)
}

function linesOf(text: string): readonly { readonly said: string; readonly start: number; readonly end: number }[] {
  return Array.from(text.matchAll(/([^\r\n]*)(?:\r\n|\n|\r|$)/g), ({ 0: whole, 1: said = '', index }) => ({
    said,
    start: index,
    end: index + whole.length,
  }))
}
