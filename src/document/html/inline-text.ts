import { isBlock, isHidden } from './elements.ts'
import { flatText } from './flat-text.ts'
import { childrenOf, type PageNode } from './parsed-page.ts'

/** How a page is being written down. */
export interface Writing {
  /** What relative links are relative to; they stay as they are where nobody knows. */
  readonly base: string | undefined
  /** Elements with block elements somewhere below. */
  readonly holdBlocks: ReadonlySet<PageNode>
  /** Elements with tables somewhere below. */
  readonly holdTables: ReadonlySet<PageNode>
}

/** Deeper parts are written as plain lines: nobody nests like that, and recursion has an end. */
export const mostDepth = 200

/** What stands within a line: text, emphasis, code, links, and the words for images. Blocks become words of the line. */
export function inlineText(node: PageNode, writing: Writing, depth: number): string {
  if (node.nodeType === 3) return (node.textContent ?? '').replace(/[ \t\n\r\f\u00a0]+/g, ' ')
  if (isHidden(node)) return ''
  if (depth > mostDepth) return ` ${flatText(node)} `
  const inner = () => [...childrenOf(node)].map((child) => inlineText(child, writing, depth + 1)).join('')
  if (isBlock(node)) return ` ${inner()} `
  switch (node.localName) {
    case 'br':
      return '\n'
    case 'strong':
    case 'b':
      return marked(inner(), '**')
    case 'em':
    case 'i':
      return marked(inner(), '_')
    case 'del':
    case 's':
      return marked(inner(), '~~')
    case 'code':
    case 'kbd':
    case 'samp':
    case 'tt':
      return code(node.textContent ?? '')
    case 'a':
      return link(node, oneLine(inner()), writing)
    case 'img':
      return image(node, writing)
    default:
      return inner()
  }
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Marks stand at the words, not at the blanks around them. */
function marked(text: string, mark: string): string {
  const core = text.trim()
  if (core === '' || core.startsWith(mark)) return text
  const start = text.length - text.trimStart().length
  return `${text.slice(0, start)}${mark}${core}${mark}${text.slice(start + core.length)}`
}

function code(text: string): string {
  const said = oneLine(text)
  if (said === '') return ''
  return said.includes('`') ? `\`\` ${said} \`\`` : `\`${said}\``
}

/** Links within the page and such that run something are only their words. */
function link(element: PageNode, words: string, writing: Writing): string {
  const address = addressOf(element.getAttribute('href'), writing)
  const said = words === '' ? oneLine(element.getAttribute('aria-label') ?? element.getAttribute('title') ?? '') : words
  if (said === '' || address === undefined) return said
  return `[${said}](${address})`
}

function image(element: PageNode, writing: Writing): string {
  const words = oneLine(element.getAttribute('alt') ?? '')
  return words === '' ? '' : `![${words}](${addressOf(element.getAttribute('src'), writing) ?? ''})`
}

function addressOf(written: string | null, { base }: Writing): string | undefined {
  const address = (written ?? '').replace(/[\t\n\r]/g, '').trim()
  if (address === '' || address.startsWith('#') || address.length > 4000) return undefined
  const known = URL.canParse(address, base) ? new URL(address, base) : undefined
  if (known !== undefined && !/^(?:https?|mailto|tel|ftp):$/.test(known.protocol)) return undefined
  const whole = known === undefined ? address : known.href
  return whole.replaceAll(' ', '%20').replaceAll('(', '%28').replaceAll(')', '%29')
}
