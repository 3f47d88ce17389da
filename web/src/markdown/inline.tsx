import type { Token, Tokens } from 'marked'
import type { ReactNode } from 'react'
import { CitationChip, CitedText, useCitedLink } from './citation.tsx'
import { Formula } from './math.tsx'
import type { MathToken } from './math-syntax.ts'
import { safeLink } from './safe-link.ts'

/** Text with emphasis, code, links, formulas and citations. */
export function inline(tokens: readonly Token[] | undefined): ReactNode {
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
      return <Followed href={href}>{text === '' ? 'image' : `image: ${text}`}</Followed>
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
