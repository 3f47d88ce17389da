import type { MarkedToken, Token, Tokens } from 'marked'
import { characters } from './character-references.ts'
import { linkAddress, misleads } from './link-address.ts'
import type { MarkKind } from './mark.ts'
import { type TextWriter, textWriter } from './text-writer.ts'

/** Writes the words within a block. */
export function writeInline(tokens: readonly Token[], writer: TextWriter): void {
  for (const token of tokens as readonly MarkedToken[]) writeToken(token, writer)
}

/** The words alone, in one line. Addresses of links stand behind their words. */
export function wordsOf(tokens: readonly Token[]): string {
  const writer = textWriter()
  const bare: TextWriter = {
    ...writer,
    within(kind, say) {
      say()
      if (kind.type === 'text_link') writer.write(` (${kind.url})`)
    },
  }
  writeInline(tokens, bare)
  return writer.text.replaceAll(/\s+/g, ' ').trim()
}

const STYLES: Readonly<Record<'strong' | 'em' | 'del', MarkKind>> = {
  strong: { type: 'bold' },
  em: { type: 'italic' },
  del: { type: 'strikethrough' },
}

function writeToken(token: MarkedToken, writer: TextWriter): void {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return writer.within(STYLES[token.type], () => writeInline(token.tokens, writer))
    case 'codespan':
      return writer.within({ type: 'code' }, () => writer.write(token.text))
    case 'br':
      return writer.write('\n')
    case 'checkbox':
      // Its item shows it.
      return
    case 'link':
      return writeLink(token, writer)
    case 'image':
      return writeImage(token, writer)
    case 'escape':
      return writer.write(token.text)
    case 'html':
      return writer.write(/^<br\s*\/?>$/i.test(token.text) ? '\n' : token.text)
    default:
      return 'tokens' in token && token.tokens ? writeInline(token.tokens, writer) : writer.write(proseOf(token.raw))
  }
}

/** A link that Telegram would refuse, or that leads elsewhere than its words say, stands as text. */
function writeLink({ href, text, tokens, autolink }: Tokens.Link, writer: TextWriter): void {
  // Telegram finds an address that stands in a text by itself.
  if (autolink || text === href) return writer.write(text)
  const url = linkAddress(href)
  const label = () => writeInline(tokens, writer)
  if (text.trim() === '') return writer.write(href)
  if (url && !misleads(wordsOf(tokens), url)) return writer.within({ type: 'text_link', url }, label)
  label()
  if (href !== '') writer.write(` (${characters(href)})`)
}

function writeImage({ href, text }: Tokens.Image, writer: TextWriter): void {
  const url = linkAddress(href)
  const words = characters(text)
  if (words.trim() === '') return writer.write(href)
  if (url && !misleads(words, url)) return writer.within({ type: 'text_link', url }, () => writer.write(words))
  writer.write(`${words} (${characters(href)})`)
}

/** A line of markdown may be set in; what it says is not. */
function proseOf(raw: string): string {
  return characters(raw.replaceAll(/\n[ \t]+/g, '\n'))
}
