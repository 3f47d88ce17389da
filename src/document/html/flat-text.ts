import { isBlock, isHidden } from './elements.ts'
import { nodesBelow, type PageNode } from './parsed-page.ts'

/** What a part of a page says on one line, whatever it is made of. Without recursion, so no depth is too much. */
export function flatText(root: PageNode): string {
  const said: string[] = []
  for (const node of nodesBelow(root, (one) => !isHidden(one))) {
    if (node.nodeType === 3) said.push(node.textContent ?? '')
    else if (isBlock(node) || node.localName === 'br') said.push(' ')
  }
  return said.join('').replace(/\s+/g, ' ').trim()
}

/** What a small part of a page says, with its buttons; `undefined` for a large one: no more of it is read than that. */
export function shortText(root: PageNode, most: number): string | undefined {
  let text = ''
  let seen = 0
  for (const node of nodesBelow(root, (one) => !isHidden(one) || one.localName === 'button')) {
    seen += 1
    if (node.nodeType === 3) text += ` ${node.textContent ?? ''}`
    if (seen > MOST_NODES || text.length > most * 2) return undefined
  }
  const said = text.replace(/\s+/g, ' ').trim()
  return said.length > most ? undefined : said
}

const MOST_NODES = 1_000
