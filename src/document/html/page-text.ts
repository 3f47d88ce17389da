import { defined } from '../../platform.ts'
import { missingParts } from '../missing-parts.ts'
import { ReadingFault } from '../reading-limits.ts'
import { cleanText, shownTitle } from '../character-set.ts'
import {
  countUnread,
  flatText,
  nodesBelow,
  type PageNode,
  type ParsedPage,
  parsedPage,
  writtenPage,
  shortText,
} from './parsed-page.ts'
import { renderMarkdown } from './markdown.ts'

/**
 * The text of a page as Markdown with links: its article where one is found, otherwise the page without its frame. A last
 * line counts what the page shows beside its text, such as recordings.
 */
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
  const missing = missingParts()
  countUnread(page.body, missing.add)
  return { text: [text, ...missing.note()].join('\n\n'), ...defined({ title }) }
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

/**
 * Removes the frame of a page from around its text: menus, cookie banners, the head and the foot of the site, and side
 * bars. A page with hardly any other text keeps its frame.
 */
function withoutFrame(body: PageNode): void {
  const whole = flatText(body).length
  const places = findFrame(body).map((node) => ({ node, parent: node.parentNode, next: node.nextSibling }))
  for (const { node, parent } of places) parent?.removeChild(node)
  const left = flatText(body).length
  if (left > 0 && left >= whole * LEAST_SHARE) return
  for (const { node, parent, next } of places.toReversed()) parent?.insertBefore(node, next)
}

/** Less of a page is no text by itself: its menu may be all that it has. */
const LEAST_SHARE = 0.02

function findFrame(body: PageNode): readonly PageNode[] {
  const found = new Set<PageNode>()
  const holders = contentHolders(body)
  const isOutermost = (node: PageNode) => node.parentNode === null || !found.has(node.parentNode)
  for (const node of nodesBelow(body, isOutermost)) {
    if (node.nodeType === 1 && !holders.has(node) && isFrame(node)) found.add(node)
  }
  return [...found]
}

/** The main part of the page and its articles, and everything above them. */
function contentHolders(body: PageNode): ReadonlySet<PageNode> {
  const holders = new Set<PageNode>()
  for (const node of nodesBelow(body)) {
    if (!isContent(node)) continue
    for (let up: PageNode | null = node; up !== null && !holders.has(up); up = up.parentNode) holders.add(up)
  }
  return holders
}

function isContent(node: PageNode): boolean {
  return node.nodeType === 1 && (contents.has(node.localName) || contents.has(nodeRole(node)))
}

const contents = new Set(['main', 'article'])

function isFrame(node: PageNode): boolean {
  const role = nodeRole(node)
  if (node.localName === 'nav' || navigating.has(role) || isConsentBanner(node, role)) return true
  if (siteParts.has(node.localName) || siteRoles.has(role)) return !isPartOfContent(node)
  return isMenu(node)
}

const navigating = new Set(['navigation', 'menu', 'menubar', 'search', 'toolbar', 'tablist'])
const siteParts = new Set(['header', 'footer', 'aside'])
const siteRoles = new Set(['banner', 'contentinfo', 'complementary'])

/** An article has a head, a foot and notes of its own. Deeper than that is nothing of the site's. */
function isPartOfContent(node: PageNode): boolean {
  let up = node.parentNode
  for (let depth = 0; up !== null && depth < MOST_DEPTH; depth += 1) {
    if (isContent(up)) return true
    up = up.parentNode
  }
  return up !== null
}

const MOST_DEPTH = 200

/** A box that is named as a menu and contains hardly anything but links. */
function isMenu(node: PageNode): boolean {
  if (!boxes.has(node.localName)) return false
  const names = `${node.getAttribute('id') ?? ''} ${node.getAttribute('class') ?? ''}`.slice(0, 500)
  if (!menuNames.test(names)) return false
  const text = shortText(node, LONGEST_MENU)
  if (text === undefined) return false
  let linked = 0
  for (const below of nodesBelow(node)) {
    if (below.nodeType === 1 && below.localName === 'a') linked += shortText(below, LONGEST_MENU)?.length ?? 0
  }
  return linked >= text.length * 0.6
}

const boxes = new Set(['div', 'section', 'ul', 'ol', 'form', 'p', 'span', 'table'])

/** Characters. */
const LONGEST_MENU = 4_000

const menuNames =
  /(?:^|[\s_-])(?:nav|navbar|navigation|menus?|breadcrumbs?|sidebar|skip|footer|header|share|sharing|social|topbar|toolbar|pagination|pager|related)(?:$|[\s_-])/i

function nodeRole(node: PageNode): string {
  return (node.getAttribute('role') ?? '').toLowerCase()
}

/** What asks for a consent to cookies: by its name and its words, or by its words and a button that answers them. */
function isConsentBanner(node: PageNode, role: string): boolean {
  if (!bannerBoxes.has(node.localName)) return false
  const names = `${node.getAttribute('id') ?? ''} ${node.getAttribute('class') ?? ''}`.slice(0, 500)
  if (bannerNames.test(names)) return bannerWords.test(shortText(node, LONGEST_BANNER) ?? '')
  const asks = role.endsWith('dialog') || node.localName === 'dialog' || hasAnswer(node)
  return asks && cookieWords.test(shortText(node, LONGEST_BANNER) ?? '')
}

const bannerBoxes = new Set(['div', 'section', 'aside', 'form', 'dialog', 'footer', 'header', 'p', 'span'])

/** Characters. */
const LONGEST_BANNER = 2_000

/** Class names and ids of consent banners, and those of the services that make them. */
const bannerNames =
  /cookies?[-_]?(?:banner|bar|consent|notice|notification|law|policy|pop-?up|modal|overlay|message|msg|alert|warning|disclaimer|dialog|wall|info|layer|accept|settings|preferences|compliance)|(?:consent|gdpr|ccpa|privacy)[-_]?(?:banner|bar|notice|box|pop-?up|modal|overlay|message|dialog|layer|manager)|onetrust|optanon|didomi|usercentrics|cookiebot|cybot|truste|evidon|cc-window|cmpbox/i
const bannerWords = /cookie|consent|privacy|gdpr|rgpd|datenschutz|クッキー|куки/i
const cookieWords = /\bcookies?\b|\bgdpr\b|\brgpd\b|クッキー|куки/i

/** Whether a small box has a button, or a link that is one, close below it. */
function hasAnswer(node: PageNode): boolean {
  let seen = 0
  for (const below of nodesBelow(node)) {
    if ((seen += 1) > 40) return false
    if (below.nodeType !== 1 || !/^(?:a|button|input)$/.test(below.localName)) continue
    if (answers.test(shortText(below, 40) ?? '') || answers.test((below.getAttribute('value') ?? '').slice(0, 40)))
      return true
  }
  return false
}

/** Labels of the buttons in such banners, in several languages. */
const answers =
  /^(?:(?:i |ja, )?(?:accept|agree|allow|reject|decline|akzeptier|zustimmen|einverstanden|verstanden|accepter|tout accepter|j.accepte|aceptar|acepto|accett[ao]|akkoord|accepteren|aceitar|godk[äj]nn).*|ok(?:ay)?|got it|understood|i understand|同意.*|принять.*)$/i
