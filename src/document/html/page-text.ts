import { ReadingFault } from '../reading-fault.ts'
import { cleanText } from '../text/clean-text.ts'
import { articleOf } from './article.ts'
import { markdownOf } from './markdown.ts'
import { withoutFrame } from './page-frame.ts'
import { parsedPage } from './parsed-page.ts'
import { isVast } from './vast-page.ts'

/** What a page says, as Markdown with its links: its article where one stands out, else all of it but the frame. */
export async function pageText(
  html: string,
  url?: string,
): Promise<{ readonly text: string; readonly title?: string }> {
  const page = await parsedPage(html)
  const base = baseOf(page.base, url)
  const vast = isVast(page.body)
  if (!vast) withoutFrame(page.body)
  const article = vast ? undefined : await articleOf(html, page)
  if (article !== undefined) withoutFrame(article.content)
  const title = oneLine(article?.title ?? page.title)
  const said = cleanText(markdownOf(article?.content ?? page.body, base))
  // What finds the article takes its title out of it.
  const text = article !== undefined && title !== '' && !said.startsWith('# ') ? `# ${title}\n\n${said}` : said
  if (text.trim() === '') {
    throw new ReadingFault('no-text', 'the page shows no text; it may be one that only a browser can build')
  }
  return title === '' ? { text } : { text, title }
}

/** What relative links are relative to, if anything is known. */
function baseOf(declared: string | undefined, url: string | undefined): string | undefined {
  if (declared === undefined) return url
  return URL.canParse(declared, url) ? new URL(declared, url).href : url
}

function oneLine(title: string): string {
  return cleanText(title).replace(/\s+/g, ' ').trim().slice(0, 500).toWellFormed()
}
