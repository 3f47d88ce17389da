import type { Token, Tokens } from 'marked'
import { memo, type ReactNode, useMemo, useState } from 'react'
import { Fold } from '../parts/fold.tsx'
import { LongList, LongText } from '../parts/long-text.tsx'
import { AnswerImage } from './answer-image.tsx'
import { CitationChip, CitedText, type Sources, SourcesContext, useCitedLink } from './citation.tsx'
import { CodeBlock } from './code-block.tsx'
import { type DetailsToken, foldDetails } from './fold-details.ts'
import { growingLexer, lex, withoutTableHead } from './lex.ts'
import { Formula } from './math.tsx'
import type { MathToken } from './math-syntax.ts'
import { safeLink } from './safe-link.ts'
import { t } from '../language/language.ts'

interface MarkdownProps {
  readonly text: string
  /** Whether more of the text arrives. */
  readonly growing?: boolean
  /** The documents that numbers in the text cite. */
  readonly sources?: Sources
}

const noSources: Sources = new Map()

/**
 * Markdown of a model as React elements. The text never becomes HTML: a tag in it is shown as it is written, but `<details>`
 * folds what is in it, and an image of another host is a link until somebody asks for it. So nothing that a model writes can run, or load anything.
 */
export const Markdown = memo(({ text, growing = false, sources = noSources }: MarkdownProps): ReactNode => {
  const [read] = useState(growingLexer)
  const tokens = useMemo(() => (growing ? read(withoutTableHead(text)) : lex(text)), [read, text, growing])
  return (
    <SourcesContext value={sources}>
      <div className="prose">{blocks(tokens)}</div>
    </SourcesContext>
  )
})

/** Drawn again only if its own text has changed, so a long answer that grows costs its last block. */
const Block = memo(
  ({ token }: { readonly token: Token }) => block(token),
  ({ token: before }, { token: after }) =>
    before === after ||
    // What a bracket is can depend on a definition further down.
    (before.type === after.type && before.raw === after.raw && !after.raw.includes('[')),
)

function blocks(tokens: readonly Token[]): ReactNode {
  const drawn = foldDetails(tokens).filter(({ type }) => type !== 'space' && type !== 'def' && type !== 'checkbox')
  return <LongList items={drawn} atOnce={1_000} draw={(token, index) => <Block key={index} token={token} />} />
}

function block(token: Token): ReactNode {
  switch (token.type) {
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading
      // Headings of an answer stand below those of the page.
      const Heading = `h${Math.min(depth + 2, 6)}` as 'h3'
      return <Heading dir="auto">{inline(tokens)}</Heading>
    }
    case 'paragraph':
      return <p dir="auto">{content((token as Tokens.Paragraph).tokens)}</p>
    case 'code': {
      const { text, lang, raw } = token as Tokens.Code
      const isWhole = /\n *(?:```|~~~)[`~]*\s*$/.test(raw)
      return <CodeBlock code={text} language={lang?.split(/\s/, 1)[0]} isWhole={isWhole} />
    }
    case 'math':
      return <Formula {...(token as MathToken)} />
    case 'blockquote':
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens)}</blockquote>
    case 'list':
      return list(token as Tokens.List)
    case 'table':
      return table(token as Tokens.Table)
    case 'hr':
      return <hr />
    case 'details': {
      const { summary, tokens } = token as DetailsToken
      return (
        <Fold className="rounded-lg border border-line px-3 py-1.5" summaryClassName="font-medium" summary={summary}>
          {blocks(tokens)}
        </Fold>
      )
    }
    case 'html':
      return (
        <p dir="auto">
          <LongText text={token.raw.trimEnd()} />
        </p>
      )
    case 'text':
      return content((token as Tokens.Text).tokens ?? [token])
    default:
      return <LongText text={token.raw} />
  }
}

/** What was too long to be read is one plain text. */
function content(tokens: readonly Token[]): ReactNode {
  const [only, ...more] = tokens
  if (only?.type === 'text' && more.length === 0 && only.raw.length > 5_000) return <LongText text={only.raw} />
  return inline(tokens)
}

function list({ ordered, start, items }: Tokens.List): ReactNode {
  const rows = (
    <LongList
      items={items}
      wrap={(more) => <li>{more}</li>}
      draw={(item, index) => (
        <li key={index} dir="auto">
          {item.task && <input type="checkbox" checked={item.checked ?? false} disabled aria-label={t`Task`} />}
          {blocks(item.tokens)}
        </li>
      )}
    />
  )
  return ordered ? <ol start={start === '' ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>
}

function table({ header, rows, align }: Tokens.Table): ReactNode {
  return (
    <div className="wide overflow-x-auto" tabIndex={0} role="region" aria-label={t`Table`}>
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} dir="auto" style={{ textAlign: align[index] ?? 'start' }}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <LongList
            items={rows}
            wrap={(more) => (
              <tr>
                <td colSpan={header.length}>{more}</td>
              </tr>
            )}
            draw={(row, number) => (
              <tr key={number}>
                {row.map((cell, index) => (
                  <td key={index} dir="auto" style={{ textAlign: align[index] ?? 'start' }}>
                    {inline(cell.tokens)}
                  </td>
                ))}
              </tr>
            )}
          />
        </tbody>
      </table>
    </div>
  )
}

/** Text with emphasis, code, links, formulas and citations. */
function inline(tokens: readonly Token[] | undefined): ReactNode {
  return tokens?.map((token, index) => <InlineToken key={index} token={token} />)
}

function InlineToken({ token }: { readonly token: Token }): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline((token as Tokens.Strong).tokens)}</strong>
    case 'em':
      return <em>{inline((token as Tokens.Em).tokens)}</em>
    case 'del':
      return <del>{inline((token as Tokens.Del).tokens)}</del>
    case 'codespan':
      return <code dir="ltr">{(token as Tokens.Codespan).text}</code>
    case 'br':
      return <br />
    case 'math':
      return <Formula {...(token as MathToken)} />
    case 'link':
      return <Link token={token as Tokens.Link} />
    case 'image': {
      const { href, text } = token as Tokens.Image
      return (
        <AnswerImage href={href} alt={text}>
          <Followed href={href}>{text === '' ? t`image` : t`image: ${text}`}</Followed>
        </AnswerImage>
      )
    }
    case 'text': {
      const { tokens, text } = token as Tokens.Text
      return tokens ? inline(tokens) : <CitedText text={text} />
    }
    case 'escape':
      return (token as Tokens.Escape).text
    default:
      return token.raw
  }
}

function Link({ token: { href, raw, tokens } }: { readonly token: Tokens.Link }): ReactNode {
  const cited = useCitedLink(raw)
  return cited === undefined ? <Followed href={href}>{inline(tokens)}</Followed> : <CitationChip source={cited} />
}

/** A link that is loaded when a person follows it, and not before; plain text where it leads to nothing of the web. */
function Followed({ href, children }: { readonly href: string; readonly children: ReactNode }): ReactNode {
  const url = safeLink(href)
  if (url === undefined) return <span title={href.slice(0, 200)}>{children}</span>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
      {children}
    </a>
  )
}
