import { flatText } from './flat-text.ts'
import { nodesBelow, type PageNode, type ParsedPage, writtenPage } from './parsed-page.ts'

export interface Article {
  readonly title: string | undefined
  readonly content: PageNode
}

/** Larger or deeper pages are taken whole: looking for an article in them takes too long. */
const mostElements = 50_000
const mostDepth = 400
/** Less than this share of a page is a piece of it and no article. */
const leastShare = 0.25

/** The article of a page, without what stands around it; nothing where the page does not look like one. */
export async function articleOf(html: string, page: ParsedPage): Promise<Article | undefined> {
  if (isVast(page.body)) return undefined
  const { isProbablyReaderable, Readability } = await import('@mozilla/readability')
  if (!isProbablyReaderable(page.document)) return undefined
  // It takes the document to pieces, so it gets one of its own.
  const found = new Readability<PageNode>(await writtenPage(html), {
    keepClasses: true,
    serializer: (node) => node,
  }).parse()
  if (!found?.content || flatText(found.content).length < flatText(page.body).length * leastShare) return undefined
  return { title: found.title || undefined, content: found.content }
}

function isVast(body: PageNode): boolean {
  const depths = new Map<PageNode, number>([[body, 0]])
  for (const node of nodesBelow(body)) {
    if (node.nodeType !== 1) continue
    const depth = depths.get(node.parentNode!)! + 1
    if (depth > mostDepth || depths.size > mostElements) return true
    depths.set(node, depth)
  }
  return false
}
