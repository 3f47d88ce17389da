import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A table of a page that is written from the code, between two marks: `<!-- NAME: begin. … -->`, `<!-- NAME: end -->`. */
export interface WrittenTable {
  /** As the page has it. */
  inGuide(): string
  /** Puts another one in its place. */
  write(table: string): void
}

/** The table of this name in a page of `docs/guide/`. */
export function writtenTable(page: string, name: string): WrittenTable {
  const file = join(import.meta.dirname, '..', '..', 'docs', 'guide', page)
  const parts = () => {
    const text = readFileSync(file, 'utf8')
    const begin = new RegExp(`<!-- ${name}: begin.*-->\\n`).exec(text)
    if (begin === null) throw new Error(`${file} has lost the mark where its table of ${name} begins`)
    const start = begin.index + begin[0].length
    const end = text.indexOf(`<!-- ${name}: end -->`)
    return { before: text.slice(0, start), table: text.slice(start, end), after: text.slice(end) }
  }
  return {
    inGuide: () => parts().table,
    write(table) {
      const { before, after } = parts()
      writeFileSync(file, before + table + after)
    },
  }
}

/** The rows of a table as cells, without the line below its head: however wide its columns are. */
export function cellsOf(table: string): readonly (readonly string[])[] {
  return table
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((row) => !row[1]?.startsWith('--'))
}
