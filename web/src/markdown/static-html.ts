import type { Token, Tokens } from 'marked'
import { type DetailsToken, foldDetails } from './fold-details.ts'
import { lex } from './lex.ts'
import type { MathToken } from './math-syntax.ts'
import { safeLink } from './safe-link.ts'
import { language } from '../language/language.ts'

/**
 * Markdown of a model as HTML for a file: the same as `Markdown` draws, whole and without buttons. A tag in the text is shown
 * as it is written, an image is a link to it, and a formula stays TeX, so nothing in it can run, or load anything.
 */
export function markdownHtml(text: string): string {
  return blocks(lex(text))
}

/** A document of its own, in both colour schemes of the page. It has no script, and sends no request. `title`: as HTML. */
export function documentHtml(title: string, style: string, body: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>
:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
body{margin:2rem auto;padding:0 1rem;background:light-dark(#faf9f6,#151715);color:light-dark(#1e211f,#ecebe4)}
h1{font-size:1.4rem}footer{margin-top:3rem;font-size:.85rem;color:light-dark(#55594f,#a9aca0)}
pre{padding:.8rem;border-radius:.4rem;background:light-dark(#f1efe9,#101211)}
${style}</style>
</head>
<body>
${body}
</body>
</html>
`
}

/** Also in an attribute. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)!};`)
}

function blocks(tokens: readonly Token[]): string {
  return foldDetails(tokens).map(block).join('\n')
}

function block(token: Token): string {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return ''
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading
      const name = `h${Math.min(depth + 2, 6)}`
      return `<${name} dir="auto">${inline(tokens)}</${name}>`
    }
    case 'paragraph':
      return `<p dir="auto">${inline((token as Tokens.Paragraph).tokens)}</p>`
    case 'code':
      return `<pre dir="ltr"><code>${escaped((token as Tokens.Code).text)}</code></pre>`
    case 'math':
      return `<p>${formula(token as MathToken)}</p>`
    case 'blockquote':
      return tagged('blockquote', blocks((token as Tokens.Blockquote).tokens))
    case 'list':
      return list(token as Tokens.List)
    case 'table':
      return table(token as Tokens.Table)
    case 'hr':
      return '<hr>'
    case 'details': {
      const { summary, tokens } = token as DetailsToken
      return `<details><summary>${escaped(summary)}</summary>${blocks(tokens)}</details>`
    }
    case 'text':
      return inline((token as Tokens.Text).tokens ?? [token])
    default:
      return `<p dir="auto">${escaped(token.raw.trimEnd())}</p>`
  }
}

function tagged(name: string, content: string): string {
  return `<${name}>${content}</${name}>`
}

function list({ ordered, start, items }: Tokens.List): string {
  const rows = items.map(({ task, checked, tokens }) => {
    return `<li dir="auto">${task ? (checked ? '☑ ' : '☐ ') : ''}${blocks(tokens)}</li>`
  })
  return ordered ? `<ol start="${start === '' ? 1 : start}">${rows.join('')}</ol>` : `<ul>${rows.join('')}</ul>`
}

function table({ header, rows, align }: Tokens.Table): string {
  const row = (cells: readonly Tokens.TableCell[], name: 'th' | 'td'): string => {
    const drawn = cells.map(({ tokens }, index) => {
      return `<${name} dir="auto" style="text-align:${align[index] ?? 'start'}">${inline(tokens)}</${name}>`
    })
    return `<tr>${drawn.join('')}</tr>`
  }
  const body = rows.map((cells) => row(cells, 'td')).join('')
  return `<div class="wide"><table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>`
}

function inline(tokens: readonly Token[] | undefined): string {
  return (tokens ?? []).map(inlineToken).join('')
}

function inlineToken(token: Token): string {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return tagged(token.type, inline((token as Tokens.Strong).tokens))
    case 'codespan':
      return `<code dir="ltr">${escaped((token as Tokens.Codespan).text)}</code>`
    case 'br':
      return '<br>'
    case 'math':
      return formula(token as MathToken)
    case 'link':
      return link((token as Tokens.Link).href, inline((token as Tokens.Link).tokens))
    case 'image': {
      const { href, text } = token as Tokens.Image
      return link(href, escaped(text === '' ? href : text))
    }
    case 'text': {
      const { tokens, text } = token as Tokens.Text
      return tokens ? inline(tokens) : escaped(text)
    }
    case 'escape':
      return escaped((token as Tokens.Escape).text)
    default:
      return escaped(token.raw)
  }
}

function link(href: string, words: string): string {
  const url = safeLink(href)
  return url === undefined ? words : `<a href="${escaped(url)}" rel="noopener noreferrer nofollow">${words}</a>`
}

function formula({ tex }: MathToken): string {
  return `<code dir="ltr">${escaped(tex)}</code>`
}
