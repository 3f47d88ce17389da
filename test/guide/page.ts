import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { words } from './shell-words.ts'

const root = join(import.meta.dirname, '..', '..')

/** A page of the guide. */
export interface Page {
  /** From the root of the repository, such as `docs/guide/http.md`. */
  readonly name: string
  readonly text: string
  readonly blocks: readonly Block[]
}

/** What stands between two fences. */
export interface Block {
  /** Of the opening fence, such as `jsonc`. */
  readonly info: string
  /** Number of its first line in the page, from 1. */
  readonly line: number
  readonly lines: readonly string[]
}

/** A line of a page that somebody may type. */
export interface Shown {
  /** `docs/guide/http.md:27` */
  readonly place: string
  readonly page: string
  /** As it stands there, without prompt and comment. */
  readonly text: string
  readonly words: readonly string[]
  /** What the page shows as its output, where the line has a prompt. */
  readonly output?: readonly string[]
}

/** README.md and every page of the guide. */
export function pages(): readonly Page[] {
  return ['README.md', ...globSync('docs/guide/*.md', { cwd: root }).toSorted()].map((name) => {
    const text = readFileSync(join(root, name), 'utf8')
    return { name, text, blocks: blocksOf(text.split('\n')) }
  })
}

function blocksOf(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at++) {
    const open = /^(\s*)```(.*)$/.exec(lines[at]!)
    if (!open) continue
    const length = lines.slice(at + 1).findIndex((line) => line.trim() === '```')
    const inner = lines.slice(at + 1, at + 1 + length).map((line) => line.slice(open[1]!.length))
    blocks.push({ info: open[2]!.trim(), line: at + 2, lines: inner })
    at += length + 1
  }
  return blocks
}

/** The lines of a page's blocks that begin with this word, in their order; one that ends in `\` goes on below. */
export function shownIn(page: Page, begin: RegExp): readonly Shown[] {
  return page.blocks
    .filter(({ info }) => info === '' || info === 'sh')
    .flatMap(({ line: first, lines }) =>
      lines.flatMap((line, index) => {
        const text = `${line}${line.endsWith('\\') ? lines[index + 1] : ''}`.replace(/\\(?=\s)/, '')
        const typed = text.replace(/^\$ /, '')
        if (!begin.test(typed)) return []
        const shown = { ...shownAt(page, first + index, typed) }
        return [text === typed ? shown : { ...shown, output: outputBelow(lines, index) }]
      }),
    )
}

function outputBelow(lines: readonly string[], index: number): readonly string[] {
  const below = lines.slice(index + 1)
  const end = below.findIndex((line) => line.startsWith('$ '))
  return (end === -1 ? below : below.slice(0, end)).join('\n').trimEnd().split('\n')
}

/** What stands in the text of a page between backticks and begins with this. */
export function inlineIn(page: Page, begin: RegExp): readonly Shown[] {
  const fenced = new Set(page.blocks.flatMap(({ line, lines }) => lines.map((_, index) => line + index)))
  return page.text.split('\n').flatMap((text, index) =>
    fenced.has(index + 1)
      ? []
      : [...text.matchAll(/`([^`]+)`/g)]
          .map(([, inner]) => inner!)
          .filter((inner) => begin.test(inner))
          .map((inner) => shownAt(page, index + 1, inner)),
  )
}

function shownAt(page: Page, line: number, written: string): Shown {
  const text = written.replace(/\s+# .*$/, '').trim()
  return { place: `${page.name}:${line}`, page: page.name, text, words: words(text) }
}

/** The cells of a table below a heading, without its first two lines. */
export function tableBelow(page: Page, heading: string): readonly (readonly string[])[] {
  const section = page.text.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}
