import { defined } from '../../../platform.ts'
import type { MarkedToken, Token, Tokens } from 'marked'
import { linkAddress } from './link-address.ts'
import type { TextWriter } from './text-writer.ts'
import { tableText } from './table-text.ts'
import { writeInline } from './write-inline.ts'

/** Writes the blocks of a document, a blank line between each two. */
export function writeBlocks(tokens: readonly Token[], writer: TextWriter): void {
  writeEach(tokens, { writer, used: usedAddresses(tokens) }, 2)
}

interface Place {
  readonly writer: TextWriter
  /** Addresses that a link of the document has: their definitions need not be shown. */
  readonly used: ReadonlySet<string>
}

function writeEach(tokens: readonly Token[], place: Place, gap: number): void {
  for (const token of tokens as readonly MarkedToken[]) {
    if (token.type === 'space' || token.type === 'checkbox') continue
    writeBlock(token, place)
    place.writer.gap(gap)
  }
}

function writeBlock(token: MarkedToken, place: Place): void {
  const { writer } = place
  switch (token.type) {
    case 'heading':
      return writer.within({ type: 'bold' }, () => writeInline(token.tokens, writer))
    case 'paragraph':
      return writeInline(token.tokens, writer)
    case 'code':
      return writeCode(token, writer)
    case 'list':
      return writeList(token, place)
    case 'blockquote':
      return writer.within({ type: 'blockquote' }, () => writeEach(token.tokens, place, 2))
    case 'table':
      return writer.within({ type: 'pre' }, () => writer.writeAsItIs(tableText(token)))
    case 'hr':
      return writer.write('———')
    case 'html':
      return writer.write(token.text.trimEnd())
    case 'def':
      return place.used.has(token.href) ? undefined : writer.write(token.raw.trimEnd())
    default:
      return writeInline([token], writer)
  }
}

function writeCode({ text, lang = '', raw }: Tokens.Code, writer: TextWriter): void {
  const code = text.trimEnd()
  // A fence that nothing follows is no block yet, and may be words.
  if (code === '') return writer.write(lang === '' ? '' : raw.trim())
  const [language] = /^[\w.+#-]+/.exec(lang) ?? []
  // What else stands beside the language, such as the name of a file, is for the reader.
  writer.write(lang.slice(language?.length ?? 0).trim())
  writer.gap(1)
  const kind = { type: 'pre' as const, ...defined({ language }) }
  writer.within(kind, () => writer.writeAsItIs(code))
}

function writeList({ items, ordered, start }: Tokens.List, place: Place): void {
  const { writer } = place
  for (const [index, item] of items.entries()) {
    const number = ordered ? `${Number(start) + index}. ` : ''
    const task = item.task ? (item.checked ? '☑ ' : '☐ ') : ''
    const sign = number + task || '• '
    writer.write(sign)
    writer.setIn(' '.repeat(sign.length), () => writeEach(item.tokens, place, 1))
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
