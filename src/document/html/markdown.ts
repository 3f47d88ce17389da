import { childNodes, drawingWords, flatText, isBlock, isHidden, nodesBelow, type PageNode } from './parsed-page.ts'

/**
 * A part of a page as Markdown: headings, lists, quotes, tables, code and links; scripts, styles and what is hidden left
 * out. Characters that mean something in Markdown are not escaped: it is read, and never shown as a page again.
 */
export function renderMarkdown(root: PageNode, base?: string): string {
  const writing = {
    base,
    holdBlocks: holders(root, isBlock),
    holdTables: holders(root, ({ localName }) => localName === 'table'),
  }
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

/** Runs of text and inline elements become paragraphs between the blocks. */
function writeChildren(parent: PageNode, writing: Writing, depth: number, blocks: string[]): void {
  let run: string[] = []
  const endRun = () => {
    const text = paragraph(run.join(''))
    if (text !== '') blocks.push(text)
    run = []
  }
  for (const child of childNodes(parent)) {
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

/** Keeps line breaks and removes the white space that only lays out the source. */
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
  const inner = [...childNodes(element)].find(({ localName }) => localName === 'code')
  const classes = `${element.getAttribute('class') ?? ''} ${inner?.getAttribute('class') ?? ''}`
  const language = /(?:^|\s)lang(?:uage)?-([\w+#.-]+)/.exec(classes)?.[1] ?? ''
  const longest = Math.max(2, ...(code.match(/`{3,}/g) ?? []).slice(0, 1000).map(({ length }) => length))
  const fence = '`'.repeat(Math.min(longest, 100) + 1)
  return `${fence}${language}\n${code}\n${fence}`
}

function list(element: PageNode, writing: Writing, depth: number): string {
  const items: string[] = []
  let number = Number(element.getAttribute('start') ?? 1) || 1
  for (const child of childNodes(element)) {
    if (isHidden(child)) continue
    const parts: string[] = []
    if (child.nodeType === 1) writeBlock(child, writing, depth + 1, parts)
    else if (child.textContent?.trim()) parts.push(paragraph(child.textContent))
    if (parts.length === 0) continue
    const marker = element.localName === 'ol' ? `${number}. ` : '- '
    if (child.localName === 'li') number += 1
    // A list within an item follows its text at once, anything else after a blank line.
    const item = parts.reduce((text, part) => text + (/^(?:- |\d+\. )/.test(part) ? '\n' : '\n\n') + part)
    items.push(marker + item.replaceAll('\n', `\n${' '.repeat(marker.length)}`))
  }
  // Blank lines within an item need no blanks.
  return items.join('\n').replace(/\n +(?=\n)/g, '\n')
}

interface Writing {
  /** What relative links are relative to; they stay unchanged where it is unknown. */
  readonly base: string | undefined
  /** Elements with block elements somewhere below. */
  readonly holdBlocks: ReadonlySet<PageNode>
  /** Elements with tables somewhere below. */
  readonly holdTables: ReadonlySet<PageNode>
}

/** Deeper parts become plain lines, so that recursion has an end. */
const mostDepth = 200

/** The Markdown of a line: text, emphasis, code, links, and the words for images. Blocks become words of the line. */
function inlineText(node: PageNode, writing: Writing, depth: number): string {
  if (node.nodeType === 3) return (node.textContent ?? '').replace(/[ \t\n\r\f\u00a0]+/g, ' ')
  if (isHidden(node)) return ''
  if (depth > mostDepth) return ` ${flatText(node)} `
  const inner = () => [...childNodes(node)].map((child) => inlineText(child, writing, depth + 1)).join('')
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
      return inlineCode(node.textContent ?? '')
    case 'a':
      return link(node, oneLine(inner()), writing)
    case 'img':
      return image(node, writing)
    case 'input':
      return inputText(node)
    case 'textarea':
      return node.textContent ?? ''
    case 'select':
      return ` ${oneLine([...childNodes(node)].map((child) => inlineText(child, writing, depth + 1)).join(''))} `
    case 'option':
      return ` ${node.getAttribute('selected') === null ? '( )' : '(x)'} ${node.getAttribute('label') ?? inner()} `
    case 'optgroup':
      return ` ${node.getAttribute('label') ?? ''}: ${inner()} `
    case 'svg':
      return drawingWords(node)
    case 'math':
      return mathText(node)
    case 'sup':
      return raised(inner(), '^')
    case 'sub':
      return raised(inner(), '_')
    case 'q':
      return `"${inner()}"`
    case 'rt':
      return `(${inner()})`
    case 'rp':
      return ''
    case 'abbr': {
      const whole = oneLine(node.getAttribute('title') ?? '')
      return whole === '' ? inner() : `${inner()} (${whole})`
    }
    default:
      return inner()
  }
}

/** What a person has entered or would send; a secret and a button have no words. */
function inputText(input: PageNode): string {
  const type = (input.getAttribute('type') ?? 'text').toLowerCase()
  if (type === 'checkbox' || type === 'radio') return input.getAttribute('checked') === null ? '[ ] ' : '[x] '
  if (/^(?:hidden|password|submit|button|reset|image|file)$/.test(type)) return ''
  return oneLine(input.getAttribute('value') ?? input.getAttribute('placeholder') ?? '')
}

/** `10^6`, so that a power is no other number. What is a note or a longer text stays as it is. */
function raised(text: string, sign: string): string {
  if (!/^[\p{L}\p{N}+\-−()]{1,12}$/u.test(text)) return text
  return sign + (text.length === 1 ? text : `{${text}}`)
}

/** A formula as TeX: what its page gives, or what its elements say. */
function mathText(math: PageNode): string {
  const given = [...nodesBelow(math)].find(
    (node) => node.nodeType === 1 && /tex/i.test(node.getAttribute('encoding') ?? ''),
  )
  const tex = oneLine(given?.textContent ?? math.getAttribute('alttext') ?? texOf(math, 0))
  return tex === '' ? '' : `$${tex}$`
}

function texOf(node: PageNode, depth: number): string {
  if (node.nodeType === 3) return oneLine(node.textContent ?? '')
  if (node.nodeType !== 1 || node.localName.startsWith('annotation')) return ''
  if (depth > mostDepth) return flatText(node)
  const parts = [...childNodes(node)].map((child) => texOf(child, depth + 1)).filter((part) => part !== '')
  const [first = '', second = '', third = ''] = parts
  switch (node.localName) {
    case 'mfrac':
      return `\\frac{${first}}{${second}}`
    case 'msqrt':
      return `\\sqrt{${parts.join('')}}`
    case 'mroot':
      return `\\sqrt[${second}]{${first}}`
    case 'msup':
    case 'mover':
      return `{${first}}^{${second}}`
    case 'msub':
    case 'munder':
      return `{${first}}_{${second}}`
    case 'msubsup':
    case 'munderover':
      return `{${first}}_{${second}}^{${third}}`
    case 'mtr':
      return `${parts.join(' & ')} \\\\ `
    default:
      return parts.join('')
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Puts marks next to the words, not next to the blanks around them. */
function marked(text: string, mark: string): string {
  const core = text.trim()
  if (core === '' || core.startsWith(mark)) return text
  const start = text.length - text.trimStart().length
  return `${text.slice(0, start)}${mark}${core}${mark}${text.slice(start + core.length)}`
}

function inlineCode(text: string): string {
  const content = oneLine(text)
  if (content === '') return ''
  return content.includes('`') ? `\`\` ${content} \`\`` : `\`${content}\``
}

/** Links within the page and such that run something are only their words. */
function link(element: PageNode, words: string, writing: Writing): string {
  const address = resolveAddress(element.getAttribute('href'), writing)
  const said = words === '' ? oneLine(element.getAttribute('aria-label') ?? element.getAttribute('title') ?? '') : words
  if (said === '' || address === undefined) return said
  return `[${said}](${address})`
}

function image(element: PageNode, writing: Writing): string {
  const words = oneLine(element.getAttribute('alt') ?? '')
  return words === '' ? '' : `![${words}](${resolveAddress(element.getAttribute('src'), writing) ?? ''})`
}

function resolveAddress(written: string | null, { base }: Writing): string | undefined {
  const address = (written ?? '').replace(/[\t\n\r]/g, '').trim()
  if (address === '' || address.startsWith('#') || address.length > 4000) return undefined
  const known = URL.canParse(address, base) ? new URL(address, base) : undefined
  if (known !== undefined && !/^(?:https?|mailto|tel|ftp):$/.test(known.protocol)) return undefined
  const whole = known === undefined ? address : known.href
  return whole.replaceAll(' ', '%20').replaceAll('(', '%28').replaceAll(')', '%29')
}

const mostColumns = 200

/** A table with its first row as the head; nothing where it only lays out the page, and its cells are to be read as blocks. */
function tableText(table: PageNode, writing: Writing, depth: number): string | undefined {
  if (writing.holdTables.has(table) || table.getAttribute('role') === 'presentation') return undefined
  const rows = tableRows(table, writing, depth)
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  if (width < 2) return undefined
  const [head, ...body] = rows.map(
    (row) => `| ${Array.from({ length: width }, (_, at) => row[at] ?? '').join(' | ')} |`,
  )
  const text = [head, `|${' --- |'.repeat(width)}`, ...body].join('\n')
  const caption = [...childNodes(table)].find(({ localName }) => localName === 'caption')
  const above = caption && !isHidden(caption) ? oneLine(inlineText(caption, writing, depth + 1)) : ''
  return above === '' ? text : `${above}\n\n${text}`
}

/** Cells that span others leave them empty. Rows without a word are left out. */
function tableRows(table: PageNode, writing: Writing, depth: number): readonly (readonly string[])[] {
  const rows: string[][] = []
  /** The number of rows that a cell above still spans, by column. */
  let taken: number[] = []
  for (const element of rowElements(table)) {
    const row: string[] = []
    const still = taken.map((rowsLeft) => Math.max(rowsLeft - 1, 0))
    for (const cell of childNodes(element)) {
      if (isHidden(cell) || (cell.localName !== 'td' && cell.localName !== 'th')) continue
      while ((taken[row.length] ?? 0) > 0) row.push('')
      const below = cellSpan(cell, 'rowspan') - 1
      const text = oneLine(inlineText(cell, writing, depth + 1)).replaceAll('|', String.raw`\|`)
      for (let column = cellSpan(cell, 'colspan'); column > 0 && row.length < mostColumns; column -= 1) {
        still[row.length] = below
        row.push(column === cellSpan(cell, 'colspan') ? text : '')
      }
    }
    taken = Array.from(still, (rowsLeft) => rowsLeft ?? 0)
    if (row.some((text) => text !== '')) rows.push(row)
  }
  return rows
}

function* rowElements(table: PageNode): Generator<PageNode> {
  for (const child of childNodes(table)) {
    if (isHidden(child)) continue
    if (child.localName === 'tr') yield child
    else if (/^(?:thead|tbody|tfoot)$/.test(child.localName)) {
      for (const row of childNodes(child)) if (row.localName === 'tr' && !isHidden(row)) yield row
    }
  }
}

function cellSpan(cell: PageNode, attribute: 'colspan' | 'rowspan'): number {
  const span = Number(cell.getAttribute(attribute) ?? 1)
  return Number.isInteger(span) && span > 0 ? Math.min(span, mostColumns) : 1
}
