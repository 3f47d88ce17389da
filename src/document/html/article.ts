import { flatText } from './flat-text.ts'
import { type PageNode, type ParsedPage, writtenPage } from './parsed-page.ts'

export interface Article {
  readonly title: string | undefined
  readonly content: PageNode
}

/** Less than this share of a page is a piece of it and no article, unless the page says that it is one. */
const leastShare = { ofAny: 0.25, ofArticle: 0.05 }

/** The article of a page, without what stands around it; nothing where the page does not look like one. */
export async function articleOf(html: string, page: ParsedPage): Promise<Article | undefined> {
  const { isProbablyReaderable, Readability } = await import('@mozilla/readability')
  if (!isProbablyReaderable(page.document)) return undefined
  // It takes the document to pieces, so it gets one of its own.
  const found = new Readability<PageNode>(await writtenPage(html), {
    keepClasses: true,
    serializer: (node) => node,
  }).parse()
  const least = flatText(page.body).length * (page.isArticle ? leastShare.ofArticle : leastShare.ofAny)
  if (!found?.content || flatText(found.content).length < least) return undefined
  return { title: found.title || undefined, content: found.content }
}
