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
