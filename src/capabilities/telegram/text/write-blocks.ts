import type { MarkedToken, Token, Tokens } from 'marked'
import { defined } from '../../../platform.ts'
import type { TextWriter } from './text-writer.ts'
import { linkAddress, plainWords, writeInline } from './write-inline.ts'

export function writeBlocks(tokens: readonly Token[], writer: TextWriter): void {
  writeEach(tokens, { writer, used: usedAddresses(tokens) }, 2)
}

interface Output {
  readonly writer: TextWriter
  readonly used: ReadonlySet<string>
}

function writeEach(tokens: readonly Token[], output: Output, gap: number): void {
  for (const token of tokens as readonly MarkedToken[]) {
    if (token.type === 'space' || token.type === 'checkbox') continue
    writeBlock(token, output)
    output.writer.gap(gap)
  }
}

function writeBlock(token: MarkedToken, output: Output): void {
  const { writer } = output
  switch (token.type) {
    case 'heading':
      return writer.mark({ type: 'bold' }, () => writeInline(token.tokens, writer))
    case 'paragraph':
      return writeInline(token.tokens, writer)
    case 'code':
      return writeCode(token, writer)
    case 'list':
      return writeList(token, output)
    case 'blockquote':
      return writer.mark({ type: 'blockquote' }, () => writeEach(token.tokens, output, 2))
    case 'table':
      return writer.mark({ type: 'pre' }, () => writer.writeCode(renderTable(token)))
    case 'hr':
      return writer.write('———')
    case 'html':
      return writer.write(token.text.trimEnd())
    case 'def':
      return output.used.has(token.href) ? undefined : writer.write(token.raw.trimEnd())
    default:
      return writeInline([token], writer)
  }
}

function writeCode({ text, lang = '', raw }: Tokens.Code, writer: TextWriter): void {
  const code = text.trimEnd()
  // A fence without content is no block yet, and may be plain words.
  if (code === '') return writer.write(lang === '' ? '' : raw.trim())
  const [language] = /^[\w.+#-]+/.exec(lang) ?? []
  // Further words beside the language, such as a file name, are shown.
  writer.write(lang.slice(language?.length ?? 0).trim())
  writer.gap(1)
  const kind = { type: 'pre' as const, ...defined({ language }) }
  writer.mark(kind, () => writer.writeCode(code))
}

function writeList({ items, ordered, start }: Tokens.List, output: Output): void {
  const { writer } = output
  for (const [index, item] of items.entries()) {
    const number = ordered ? `${Number(start) + index}. ` : ''
    const task = item.task ? (item.checked ? '☑ ' : '☐ ') : ''
    const sign = number + task || '• '
    writer.write(sign)
    writer.indent(' '.repeat(sign.length), () => writeEach(item.tokens, output, 1))
    writer.gap(1)
  }
}

function usedAddresses(tokens: readonly Token[], used = new Set<string>()): ReadonlySet<string> {
  for (const token of tokens as readonly MarkedToken[]) {
    if ((token.type === 'link' || token.type === 'image') && linkAddress(token.href)) used.add(token.href)
    if ('tokens' in token && token.tokens) usedAddresses(token.tokens, used)
    if (token.type === 'list') usedAddresses(token.items, used)
    if (token.type === 'table')
      for (const cell of [token.header, ...token.rows].flat()) usedAddresses(cell.tokens, used)
  }
  return used
}

/** A table with aligned columns, for a font with one width. */
function renderTable({ header, rows, align, raw }: Tokens.Table): string {
  // `marked` drops surplus cells. Such a table stays as it was written, so that no words are lost.
  if (raw.split('\n').some((row) => cellsIn(row) > header.length)) return raw.trimEnd()
  const lines = [header, ...rows].map((row) => row.map(({ tokens }) => plainWords(tokens)))
  const widths = header.map((_, column) => Math.max(1, ...lines.map((line) => textWidth(line[column] ?? ''))))
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
  const blanks = width - textWidth(text)
  const before = align === 'left' ? 0 : align === 'right' ? blanks : Math.floor(blanks / 2)
  return ' '.repeat(before) + text + ' '.repeat(blanks - before)
}

const GRAPHEMES = new Intl.Segmenter()
/** Characters of double width: East Asian ones, and emoji. */
const WIDE =
  /[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Emoji_Presentation}/u

function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of GRAPHEMES.segment(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}
