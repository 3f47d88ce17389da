import { getDefaults, Lexer, type MarkedOptions, type Token, type TokensList } from 'marked'
import { blockMath, inlineMath } from './math-syntax.ts'

/** What a model writes beyond these is shown as it is written: nobody reads it, and it would take long to draw. */
const DEEPEST_BLOCK = 40
const DEEPEST_INLINE = 30
/** Characters of one paragraph. */
const LONGEST_PARAGRAPH = 10_000

const options: MarkedOptions = {
  ...getDefaults(),
  gfm: true,
  extensions: {
    block: [blockMath.tokenizer],
    startBlock: [blockMath.start],
    inline: [inlineMath.tokenizer],
    startInline: [inlineMath.start],
    renderers: {},
    childTokens: {},
  },
}

/** A lexer that no text can keep busy or stop: what is nested too deeply, is too long, or makes it fail is plain text. */
class BoundedLexer extends Lexer {
  private blockDepth = 0
  private inlineDepth = 0

  constructor() {
    // The lexer writes its tokenizer into its options.
    super({ ...options, tokenizer: null })
  }

  override blockTokens(source: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[]
  override blockTokens(source: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList
  override blockTokens(source: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    if (this.blockDepth >= DEEPEST_BLOCK) return plain(source, tokens)
    this.blockDepth += 1
    const known = tokens.length
    try {
      return super.blockTokens(source, tokens, lastParagraphClipped)
    } catch {
      // Some lists with an empty quotation.
      tokens.length = known
      return plain(source, tokens)
    } finally {
      this.blockDepth -= 1
    }
  }

  override inline(source: string, tokens: Token[] = []): Token[] {
    return source.length > LONGEST_PARAGRAPH ? plain(source, tokens) : super.inline(source, tokens)
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.inlineDepth >= DEEPEST_INLINE) return plain(source, tokens)
    this.inlineDepth += 1
    try {
      return super.inlineTokens(source, tokens)
    } finally {
      this.inlineDepth -= 1
    }
  }
}

function plain(text: string, tokens: Token[]): Token[] {
  tokens.push({ type: 'text', raw: text, text, escaped: false })
  return tokens
}

/** The blocks of a text in Markdown. */
export function lex(text: string): readonly Token[] {
  return new BoundedLexer().lex(text)
}

/** The blocks of a text that is read again whenever it has grown. */
export type GrowingLexer = (text: string) => readonly Token[]

/**
 * Reads a text that grows: what stands before its last blocks is not read again. Links that are defined further down than
 * they are used are found by `lex` alone.
 */
export function growingLexer(): GrowingLexer {
  let before = ''
  let settled: readonly Token[] = []
  let length = 0
  return (written) => {
    const text = written.replaceAll(/\r\n?/g, '\n')
    if (!text.startsWith(before.slice(0, length))) {
      settled = []
      length = 0
    }
    const fresh = lex(text.slice(length))
    const tokens = [...settled, ...fresh]
    // Behind a blank line, and before the last blocks, nothing that follows can change what was read.
    const kept = fresh.slice(
      0,
      1 + fresh.slice(0, -2).findLastIndex(({ type, raw }) => type === 'space' && raw.includes('\n\n')),
    )
    const raw = kept.map((token) => token.raw).join('')
    // A block that was read as something else than it is written cannot be counted.
    if (text.startsWith(raw, length)) {
      settled = [...settled, ...kept]
      length += raw.length
    }
    before = text
    return tokens
  }
}

/** A text without the head of a table at its end: until the first row begins, a table is a line of bars. */
export function withoutTableHead(text: string): string {
  let start = text.length
  let lines = 0
  for (; lines < 3; lines++) {
    const line = text.lastIndexOf('\n', start - 2) + 1
    if (text[line] !== '|' || line === start) break
    start = line
  }
  return lines < 3 ? text.slice(0, start) : text
}
