import { isHidden } from './elements.ts'
import { inlineText, oneLine, type Writing } from './inline-text.ts'
import { childrenOf, type PageNode } from './parsed-page.ts'

/** Wider tables are no tables that anybody reads. */
const mostColumns = 200

/** A table with its first row as the head; nothing where it only lays out the page, and its cells are to be read as blocks. */
export function tableText(table: PageNode, writing: Writing, depth: number): string | undefined {
  if (writing.holdTables.has(table) || table.getAttribute('role') === 'presentation') return undefined
  const rows = rowsOf(table, writing, depth)
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  if (width < 2) return undefined
  const [head, ...body] = rows.map(
    (row) => `| ${Array.from({ length: width }, (_, at) => row[at] ?? '').join(' | ')} |`,
  )
  const text = [head, `|${' --- |'.repeat(width)}`, ...body].join('\n')
  const caption = [...childrenOf(table)].find(({ localName }) => localName === 'caption')
  const above = caption && !isHidden(caption) ? oneLine(inlineText(caption, writing, depth + 1)) : ''
  return above === '' ? text : `${above}\n\n${text}`
}

/** Cells that span others leave them empty. Rows without a word are left out. */
function rowsOf(table: PageNode, writing: Writing, depth: number): readonly (readonly string[])[] {
  const rows: string[][] = []
  /** Rows that a cell above still takes, by column. */
  let taken: number[] = []
  for (const element of rowElements(table)) {
    const row: string[] = []
    const still = taken.map((rowsLeft) => Math.max(rowsLeft - 1, 0))
    for (const cell of childrenOf(element)) {
      if (isHidden(cell) || (cell.localName !== 'td' && cell.localName !== 'th')) continue
      while ((taken[row.length] ?? 0) > 0) row.push('')
      const below = spanOf(cell, 'rowspan') - 1
      const text = oneLine(inlineText(cell, writing, depth + 1)).replaceAll('|', String.raw`\|`)
      for (let column = spanOf(cell, 'colspan'); column > 0 && row.length < mostColumns; column -= 1) {
        still[row.length] = below
        row.push(column === spanOf(cell, 'colspan') ? text : '')
      }
    }
    taken = Array.from(still, (rowsLeft) => rowsLeft ?? 0)
    if (row.some((text) => text !== '')) rows.push(row)
  }
  return rows
}

function* rowElements(table: PageNode): Generator<PageNode> {
  for (const child of childrenOf(table)) {
    if (isHidden(child)) continue
    if (child.localName === 'tr') yield child
    else if (/^(?:thead|tbody|tfoot)$/.test(child.localName)) {
      for (const row of childrenOf(child)) if (row.localName === 'tr' && !isHidden(row)) yield row
    }
  }
}

function spanOf(cell: PageNode, attribute: 'colspan' | 'rowspan'): number {
  const span = Number(cell.getAttribute(attribute) ?? 1)
  return Number.isInteger(span) && span > 0 ? Math.min(span, mostColumns) : 1
}
