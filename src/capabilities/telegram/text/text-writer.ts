import type { MarkedToken, Token, Tokens } from 'marked'

export type TextWriter = ReturnType<typeof textWriter>

export function textWriter() {
  const pieces: string[] = []
  const marks: Mark[] = []
  let length = 0
  let pending = 0
  let indentation = ''
  let atLineStart = false

  function put(piece: string): void {
    pieces.push(piece)
    length += piece.length
  }

  function closeGap(): void {
    if (length > 0 && pending > 0) {
      put('\n'.repeat(pending))
      atLineStart = true
    }
    pending = 0
  }

  return {
    get text() {
      return pieces.join('')
    },
    /** In the order in which they end. */
    marks,

    write(words: string) {
      if (words === '') return
      closeGap()
      for (const [index, line] of words.split('\n').entries()) {
        if (index > 0) {
          put('\n')
          atLineStart = true
        }
        if (line === '') continue
        if (atLineStart) put(indentation)
        atLineStart = false
        put(line)
      }
    },

    /** Lines of code, without indentation. */
    writeCode(lines: string) {
      if (lines === '') return
      closeGap()
      put(lines)
      atLineStart = lines.endsWith('\n')
    },

    /** Line ends before the next words; none at the beginning. Of several calls the largest counts. */
    gap(lines: number) {
      pending = Math.max(pending, lines)
    },

    mark(kind: MarkKind, write: () => void) {
      closeGap()
      const start = length
      write()
      if (length > start) marks.push({ ...kind, start, end: length })
    },

    indent(blanks: string, write: () => void) {
      const before = indentation
      indentation += blanks
      write()
      indentation = before
    },
  }
}

/** The formatting of a range of the text, before Telegram's nesting rules. */
export type Mark = { readonly start: number; readonly end: number } & MarkKind

export type MarkKind =
  | { readonly type: Style }
  | { readonly type: 'code' | 'blockquote' }
  | { readonly type: 'pre'; readonly language?: string }
  | { readonly type: 'text_link'; readonly url: string }

export type Style = 'bold' | 'italic' | 'strikethrough'

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

/** Decodes `&amp;`, `&#8364;`, `&#x20AC;` and the like. Any other text stays as it is. */
function decodeReferences(text: string): string {
  return text.replaceAll(REFERENCE, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? whole
    return codePointText(decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal))
  })
}

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z]\w{1,31}));/g

/** The names that people and models use. The complete list has about two thousand. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ...pairs(
    'amp & lt < gt > quot " apos \' copy © reg ® trade ™ hellip … mdash — ndash – bull • middot · deg ° sect § para ¶',
  ),
  ...pairs(
    'lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ laquo « raquo » lsaquo ‹ rsaquo › dagger † Dagger ‡ check ✓',
  ),
  ...pairs(
    'euro € pound £ yen ¥ cent ¢ times × divide ÷ plusmn ± minus − frac12 ½ frac14 ¼ frac34 ¾ sup2 ² sup3 ³ micro µ',
  ),
  ...pairs(
    'le ≤ ge ≥ ne ≠ asymp ≈ infin ∞ larr ← uarr ↑ rarr → darr ↓ harr ↔ lArr ⇐ rArr ⇒ hArr ⇔ vert | bsol \\ sol /',
  ),
  ...pairs(
    'lbrace { rbrace } lbrack [ rbrack ] lpar ( rpar ) ast * lowbar _ grave ` num # excl ! quest ? commat @ dollar $',
  ),
  ...([
    ['nbsp', '\u00a0'],
    ['ensp', '\u2002'],
    ['emsp', '\u2003'],
    ['thinsp', '\u2009'],
    ['zwnj', '\u200c'],
    ['zwj', '\u200d'],
    ['shy', '\u00ad'],
  ] as const),
])

function pairs(list: string): [string, string][] {
  return Array.from(list.matchAll(/(\w+) (\S)/gu), ([, name = '', sign = '']) => [name, sign])
}

function codePointText(code: number): string {
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : '\ufffd'
}
