import { isBlock, isHidden } from './elements.ts'
import { flatText } from './flat-text.ts'
import { inlineText, mostDepth, oneLine, type Writing } from './inline-text.ts'
import { childrenOf, nodesBelow, type PageNode } from './parsed-page.ts'
import { tableText } from './table-text.ts'

/**
 * A part of a page as Markdown: headings, lists, quotes, tables, code and links; scripts, styles and what is hidden left
 * out. Characters that mean something in Markdown are not escaped: it is read, and never shown as a page again.
 */
export function markdownOf(root: PageNode, base?: string): string {
  const writing = { base, holdBlocks: holders(root, isBlock), holdTables: holders(root, isTable) }
  const blocks: string[] = []
  writeChildren(root, writing, 0, blocks)
  return blocks.join('\n\n')
}

/** The elements above those that `isOne` names. Each is visited once. */
function holders(root: PageNode, isOne: (node: PageNode) => boolean): ReadonlySet<PageNode> {
  const found = new Set<PageNode>()
  for (const node of nodesBelow(root)) {
    if (!isOne(node)) continue
    for (let up = node.parentNode; up !== null && !found.has(up); up = up.parentNode) found.add(up)
  }
  return found
}

function isTable(node: PageNode): boolean {
  return node.localName === 'table'
}

/** Runs of text and inline elements become paragraphs between the blocks. */
function writeChildren(parent: PageNode, writing: Writing, depth: number, blocks: string[]): void {
  let run: string[] = []
  const endRun = () => {
    const text = paragraph(run.join(''))
    if (text !== '') blocks.push(text)
    run = []
  }
  for (const child of childrenOf(parent)) {
    if (isHidden(child)) continue
    if (!isBlock(child) && (child.localName === 'a' || !writing.holdBlocks.has(child))) {
      run.push(inlineText(child, writing, depth))
    } else {
      endRun()
      writeBlock(child, writing, depth + 1, blocks)
    }
  }
  endRun()
}

function writeBlock(element: PageNode, writing: Writing, depth: number, blocks: string[]): void {
  const name = element.localName
  const put = (text: string) => void (text !== '' && blocks.push(text))
  if (depth > mostDepth) return put(flatText(element))
  if (/^h[1-6]$/.test(name)) return put(heading(Number(name[1]), oneLine(inlineText(element, writing, depth))))
  if (name === 'pre') return put(codeBlock(element))
  if (name === 'hr') return put('---')
  if (name === 'ul' || name === 'ol' || name === 'menu') return put(list(element, writing, depth))
  if (name === 'table') {
    const table = tableText(element, writing, depth)
    return table === undefined ? writeChildren(element, writing, depth, blocks) : put(table)
  }
  if (name !== 'blockquote') return writeChildren(element, writing, depth, blocks)
  const quoted: string[] = []
  writeChildren(element, writing, depth, quoted)
  put(quoted.join('\n\n').replace(/^/gm, '> ').replace(/ $/gm, ''))
}

function heading(level: number, text: string): string {
  return text === '' ? '' : `${'#'.repeat(level)} ${text}`
}

/** Line breaks stay, what only lays out the source goes. */
function paragraph(text: string): string {
  return text
    .replace(/ {2,}/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function codeBlock(element: PageNode): string {
  const code = (element.textContent ?? '').replace(/\r\n?/g, '\n').replace(/^\n/, '').trimEnd()
  if (code.trim() === '') return ''
  const inner = [...childrenOf(element)].find(({ localName }) => localName === 'code')
  const classes = `${element.getAttribute('class') ?? ''} ${inner?.getAttribute('class') ?? ''}`
  const language = /(?:^|\s)lang(?:uage)?-([\w+#.-]+)/.exec(classes)?.[1] ?? ''
  const longest = Math.max(2, ...(code.match(/`{3,}/g) ?? []).slice(0, 1000).map(({ length }) => length))
  const fence = '`'.repeat(Math.min(longest, 100) + 1)
  return `${fence}${language}\n${code}\n${fence}`
}

function list(element: PageNode, writing: Writing, depth: number): string {
  const items: string[] = []
  let number = Number(element.getAttribute('start') ?? 1) || 1
  for (const child of childrenOf(element)) {
    if (isHidden(child)) continue
    const parts: string[] = []
    if (child.nodeType === 1) writeBlock(child, writing, depth + 1, parts)
    else if (child.textContent?.trim()) parts.push(paragraph(child.textContent))
    if (parts.length === 0) continue
    const marker = element.localName === 'ol' ? `${number}. ` : '- '
    if (child.localName === 'li') number += 1
    items.push(marker + listItem(parts).replaceAll('\n', `\n${' '.repeat(marker.length)}`))
  }
  // Blank lines within an item need no blanks.
  return items.join('\n').replace(/\n +(?=\n)/g, '\n')
}

/** A list within an item follows its text at once, anything else after a blank line. */
function listItem(parts: readonly string[]): string {
  return parts.reduce((text, part) => text + (/^(?:- |\d+\. )/.test(part) ? '\n' : '\n\n') + part)
}
