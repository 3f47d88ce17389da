import type { MarkedToken, Token, Tokens } from 'marked'
import { decodeReferences } from './character-references.ts'
import { type MarkKind, type TextWriter, textWriter } from './text-writer.ts'

export function writeInline(tokens: readonly Token[], writer: TextWriter): void {
  for (const token of tokens as readonly MarkedToken[]) writeToken(token, writer)
}

/** The words without formatting, on one line. The address of a link follows its words. */
export function plainWords(tokens: readonly Token[]): string {
  const writer = textWriter()
  const bare: TextWriter = {
    ...writer,
    mark(kind, write) {
      write()
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
      return writer.mark(STYLES[token.type], () => writeInline(token.tokens, writer))
    case 'codespan':
      return writer.mark({ type: 'code' }, () => writer.write(token.text))
    case 'br':
      return writer.write('\n')
    case 'checkbox':
      // Its list item shows it.
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
      return 'tokens' in token && token.tokens
        ? writeInline(token.tokens, writer)
        : writer.write(decodeReferences(token.raw.replaceAll(/\n[ \t]+/g, '\n')))
  }
}

/** A link that Telegram would refuse, or whose words show another address, is written as text. */
function writeLink({ href, text, tokens, autolink }: Tokens.Link, writer: TextWriter): void {
  // Telegram links a bare address itself.
  if (autolink || text === href) return writer.write(text)
  const url = linkAddress(href)
  const label = () => writeInline(tokens, writer)
  if (text.trim() === '') return writer.write(href)
  if (url && !isMisleading(plainWords(tokens), url)) return writer.mark({ type: 'text_link', url }, label)
  label()
  if (href !== '') writer.write(` (${decodeReferences(href)})`)
}

function writeImage({ href, text }: Tokens.Image, writer: TextWriter): void {
  const url = linkAddress(href)
  const words = decodeReferences(text)
  if (words.trim() === '') return writer.write(href)
  if (url && !isMisleading(words, url)) return writer.mark({ type: 'text_link', url }, () => writer.write(words))
  writer.write(`${words} (${decodeReferences(href)})`)
}

/** Without `tg:`, which can call people and act within Telegram. */
const SCHEMES = new Set(['http:', 'https:', 'mailto:'])

/** The address of a link in the form that Telegram accepts; `undefined` for one that it refuses. */
export function linkAddress(href: string): string | undefined {
  const address = decodeReferences(href).trim()
  if (!URL.canParse(address)) return undefined
  const { protocol, hostname, href: url } = new URL(address)
  if (!SCHEMES.has(protocol)) return undefined
  // Telegram ignores host names without a dot, such as those of a local network.
  const isWeb = protocol === 'http:' || protocol === 'https:'
  return isWeb && !hostname.includes('.') ? undefined : url
}

/** Whether the words of a link show another address than the one it leads to. */
function isMisleading(words: string, url: string): boolean {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'mailto:') return false
  return Array.from(words.matchAll(SHOWN_ADDRESS), ([, host = '']) => host).some((host) => !isSameHost(host, hostname))
}

// Without a scheme, only endings that are not file extensions.
const SHOWN_ADDRESS =
  /(?:https?:\/\/(?:[^\s/@]*@)?|\b(?=www\.)|\b(?=[\w.-]{1,250}\.(?:com|org|net|gov|edu)\b))([\p{L}\p{N}_.-]{1,253})/giu

function isSameHost(shown: string, host: string): boolean {
  const address = `http://${shown.replace(/[.-]+$/, '')}`
  return URL.canParse(address) && bareHost(new URL(address).hostname) === bareHost(host)
}

function bareHost(host: string): string {
  return host.toLowerCase().replace(/^www\./, '')
}
