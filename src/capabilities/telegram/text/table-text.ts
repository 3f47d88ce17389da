import type { Tokens } from 'marked'
import { wordsOf } from './write-inline.ts'

/** A table in signs of one width, its columns below each other. */
export function tableText({ header, rows, align, raw }: Tokens.Table): string {
  // A cell too many would be lost, and with it what was said: such a table stands as it was written.
  if (raw.split('\n').some((row) => cellsIn(row) > header.length)) return raw.trimEnd()
  const lines = [header, ...rows].map((row) => row.map(({ tokens }) => wordsOf(tokens)))
  const widths = header.map((_, column) => Math.max(1, ...lines.map((line) => widthOf(line[column] ?? ''))))
  const [head = '', ...body] = lines.map((line) =>
    widths.map((width, column) => aligned(line[column] ?? '', width, align[column] ?? 'left')).join(' │ '),
  )
  return [head, widths.map((width) => '─'.repeat(width)).join('─┼─'), ...body].map((line) => line.trimEnd()).join('\n')
}

function cellsIn(row: string): number {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/).length
}

function aligned(text: string, width: number, align: 'left' | 'center' | 'right'): string {
  const blanks = width - widthOf(text)
  const before = align === 'left' ? 0 : align === 'right' ? blanks : Math.floor(blanks / 2)
  return ' '.repeat(before) + text + ' '.repeat(blanks - before)
}

const GRAPHEMES = new Intl.Segmenter()
/** Signs that take two places: of East Asia, and pictures. */
const WIDE =
  /[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Emoji_Presentation}/u

/** How many places a text takes where all signs have one width. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of GRAPHEMES.segment(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}
