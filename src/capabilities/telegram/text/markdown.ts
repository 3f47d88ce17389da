import type { MessageEntity } from 'grammy/types'
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { type FormattedText, plainText, textSlice, trimEntity } from './formatted-text.ts'
import {
  type Mark,
  type MarkKind,
  type Style,
  textWriter,
  type TextWriter,
  linkAddress,
  plainWords,
  writeInline,
} from './text-writer.ts'
import { defined } from '../../../platform.ts'

/**
 * Markdown, as models write it. What Telegram cannot format stays as plain text. No words are lost, and no input
 * makes it throw. An open code fence is a code block; open bold words show the asterisks.
 */
export function formatMarkdown(markdown: string): FormattedText {
  const source = markdown.toWellFormed()
  try {
    const writer = textWriter()
    const tokens = lexer(source)
    writeEach(tokens, { writer, used: usedAddresses(tokens) }, 2)
    const { text, marks } = writer
    return textSlice({ text, entities: messageEntities(text, marks) })
  } catch (error) {
    // Thousands of nested quotes exceed the stack.
    if (error instanceof RangeError) return textSlice(plainText(source))
    throw error
  }
}

/**
 * By Telegram's rules (Bot API, "Formatting options"): code contains no other entity and may be only in quotes;
 * quotes and links do not nest; no entity begins or ends with white space.
 */
function messageEntities(text: string, marks: readonly Mark[]): readonly MessageEntity[] {
  const links = outermost(marks.filter(({ type }) => type === 'text_link'))
  const quotes = outermost(marks.filter(({ type }) => type === 'blockquote'))
  // A link counts for more than the style of its words.
  const code = marks.filter(
    (mark) =>
      mark.type === 'pre' ||
      (mark.type === 'code' && !links.some(({ start, end }) => start <= mark.start && mark.end <= end)),
  )
  const solid = code.toSorted(byPlace)
  const styled = STYLES.flatMap((type) =>
    outermost(marks.filter((mark) => mark.type === type)).flatMap((mark) => without(mark, solid)),
  )
  return [...quotes, ...links, ...styled, ...solid]
    .flatMap(({ start, end, ...kind }) => {
      return trimEntity(text, { ...(kind as MarkKind), offset: start, length: end - start }) ?? []
    })
    .toSorted((one, other) => one.offset - other.offset || other.length - one.length)
}

const STYLES: readonly Style[] = ['bold', 'italic', 'strikethrough']

function byPlace(one: Mark, other: Mark): number {
  return one.start - other.start || other.end - one.end
}

/** Marks come from a tree: two of them are either disjoint, or one contains the other and ended after it. */
function outermost(marks: readonly Mark[]): readonly Mark[] {
  let end = -1
  return marks
    .toReversed()
    .toSorted(byPlace)
    .filter((mark) => {
      if (mark.start < end) return false
      end = mark.end
      return true
    })
}

function without(mark: Mark, solid: readonly Mark[]): readonly Mark[] {
  const left: Mark[] = []
  let start = mark.start
  for (const hole of solid) {
    if (hole.end <= start || hole.start >= mark.end) continue
    if (hole.start > start) left.push({ ...mark, start, end: hole.start })
    start = hole.end
  }
  return start < mark.end ? [...left, { ...mark, start }] : left
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
