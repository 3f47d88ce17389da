import { defined } from '../../platform.ts'
import { ReadingFault } from '../reading-limits.ts'
import { cleanText, shownTitle } from '../text/character-set.ts'
import { flatText, nodesBelow, type PageNode, type ParsedPage, parsedPage, writtenPage } from './parsed-page.ts'
import { renderMarkdown } from './markdown.ts'
import { withoutFrame } from './page-frame.ts'

/** The text of a page as Markdown with links: its article where one is found, otherwise the page without its frame. */
export async function pageText(
  html: string,
  url?: string,
): Promise<{ readonly text: string; readonly title?: string }> {
  const page = await parsedPage(html)
  const base = baseAddress(page.base, url)
  const vast = isVast(page.body)
  if (!vast) withoutFrame(page.body)
  const article = vast ? undefined : await findArticle(html, page)
  if (article !== undefined) withoutFrame(article.content)
  const { title } = shownTitle(article?.title ?? page.title)
  const content = cleanText(renderMarkdown(article?.content ?? page.body, base))
  // The library removes the title from the article that it finds.
  const text =
    article !== undefined && title !== undefined && !content.startsWith('# ') ? `# ${title}\n\n${content}` : content
  if (text.trim() === '') {
    throw new ReadingFault('no-text', 'the page shows no text; it may be one that only a browser can build')
  }
  return { text, ...defined({ title }) }
}

/** What relative links are relative to, if anything is known. */
function baseAddress(declared: string | undefined, url: string | undefined): string | undefined {
  if (declared === undefined) return url
  return URL.canParse(declared, url) ? new URL(declared, url).href : url
}

/** Whether a page is so large or so deep that its frame is not searched for, because that would take too long. */
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

const mostElements = 50_000
const mostDepth = 400

interface Article {
  readonly title: string | undefined
  readonly content: PageNode
}

/** Less than this share of a page is a piece of it and no article, unless the page declares one. */
const leastShare = { ofAny: 0.25, ofArticle: 0.05 }

/** The article of a page without its frame; `undefined` where the page does not look like one. */
async function findArticle(html: string, page: ParsedPage): Promise<Article | undefined> {
  const { isProbablyReaderable, Readability } = await import('@mozilla/readability')
  if (!isProbablyReaderable(page.document)) return undefined
  // The library changes the document, so it gets one of its own.
  const found = new Readability<PageNode>(await writtenPage(html), {
    keepClasses: true,
    serializer: (node) => node,
  }).parse()
  const least = flatText(page.body).length * (page.isArticle ? leastShare.ofArticle : leastShare.ofAny)
  if (!found?.content || flatText(found.content).length < least) return undefined
  return { title: found.title || undefined, content: found.content }
}
