import { nodesBelow, type PageNode } from './parsed-page.ts'

/** Whether a page is so large or so deep that it is taken whole: looking for what stands around its text takes too long. */
export function isVast(body: PageNode): boolean {
  const depths = new Map<PageNode, number>([[body, 0]])
  for (const node of nodesBelow(body)) {
    if (node.nodeType !== 1) continue
    const depth = depths.get(node.parentNode!)! + 1
    if (depth > mostDepth || depths.size > mostElements) return true
    depths.set(node, depth)
  }
  return false
}

const mostElements = 50_000
const mostDepth = 400
