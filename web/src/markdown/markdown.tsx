import { lexer, type Token, type Tokens } from 'marked'
import { memo, type ReactNode, useMemo } from 'react'
import { CodeBlock } from './code-block.tsx'
import { safeLink } from './safe-link.ts'

/**
 * Markdown of a model as React elements. The text never becomes HTML: a tag in it is shown as it is written, and an image of
 * another host is a link. So nothing that a model writes can run, or load anything.
 */
export function Markdown({ text }: { readonly text: string }): ReactNode {
  const tokens = useMemo(() => lexer(text, { gfm: true }), [text])
  return <div className="prose">{blocks(tokens)}</div>
}

/** Drawn again only if its own text has changed, so a long answer that grows costs its last block. */
const Block = memo(
  ({ token }: { readonly raw: string; readonly token: Token }) => block(token),
  (before, after) => before.raw === after.raw,
)

function block(token: Token): ReactNode {
  switch (token.type) {
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading
      // Headings of an answer stand below those of the page.
      const Heading = `h${Math.min(depth + 2, 6)}` as 'h3'
      return <Heading>{inline(tokens)}</Heading>
    }
    case 'paragraph':
      return <p>{inline((token as Tokens.Paragraph).tokens)}</p>
    case 'code': {
      const { text, lang } = token as Tokens.Code
      return <CodeBlock code={text} language={lang?.split(/\s/, 1)[0]} />
    }
    case 'blockquote':
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens)}</blockquote>
    case 'list':
      return list(token as Tokens.List)
    case 'table':
      return table(token as Tokens.Table)
    case 'hr':
      return <hr />
    case 'space':
    case 'def':
      return null
    case 'html':
      return <p>{token.raw.trimEnd()}</p>
    case 'text': {
      const { tokens, text } = token as Tokens.Text
      return tokens ? inline(tokens) : text
    }
    default:
      return token.raw
  }
}

function blocks(tokens: readonly Token[]): ReactNode {
  return tokens.map((token, index) => <Block key={index} raw={token.raw} token={token} />)
}

function list({ ordered, start, items }: Tokens.List): ReactNode {
  const rows = items.map((item, index) => (
    <li key={index}>
      {item.task && <input type="checkbox" checked={item.checked ?? false} disabled aria-label="Task" />}
      {blocks(item.tokens)}
    </li>
  ))
  return ordered ? <ol start={start === '' ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>
}

function table({ header, rows, align }: Tokens.Table): ReactNode {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} style={{ textAlign: align[index] ?? 'start' }}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, number) => (
            <tr key={number}>
              {row.map((cell, index) => (
                <td key={index} style={{ textAlign: align[index] ?? 'start' }}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function inline(tokens: readonly Token[] | undefined): ReactNode {
  return tokens?.map((token, index) => <span key={index}>{inlineToken(token)}</span>)
}

function inlineToken(token: Token): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline((token as Tokens.Strong).tokens)}</strong>
    case 'em':
      return <em>{inline((token as Tokens.Em).tokens)}</em>
    case 'del':
      return <del>{inline((token as Tokens.Del).tokens)}</del>
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>
    case 'br':
      return <br />
    case 'link': {
      const { href, tokens } = token as Tokens.Link
      return <Link href={href}>{inline(tokens)}</Link>
    }
    case 'image': {
      const { href, text } = token as Tokens.Image
      return <Link href={href}>{text === '' ? 'image' : `image: ${text}`}</Link>
    }
    case 'text': {
      const { tokens, text } = token as Tokens.Text
      return tokens ? inline(tokens) : text
    }
    case 'escape':
      return (token as Tokens.Escape).text
    default:
      return token.raw
  }
}

function Link({ href, children }: { readonly href: string; readonly children: ReactNode }): ReactNode {
  const url = safeLink(href)
  if (url === undefined) return <span title={href}>{children}</span>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
      {children}
    </a>
  )
}
