/** As much of the document object model as is needed here. */
export interface PageNode {
  /** 1: element, 3: text. */
  readonly nodeType: number
  readonly localName: string
  readonly firstChild: PageNode | null
  readonly nextSibling: PageNode | null
  readonly parentNode: PageNode | null
  readonly textContent: string | null
  getAttribute(name: string): string | null
  removeChild(node: PageNode): unknown
  insertBefore(node: PageNode, before: PageNode | null): unknown
}

export interface ParsedPage {
  readonly body: PageNode
  /** The text of `<title>`. */
  readonly title: string
  /** The address in `<base href>`. */
  readonly base: string | undefined
  /** Its metadata declare an article. */
  readonly isArticle: boolean
  /** For libraries that need a `Document`. */
  readonly document: object
}

/**
 * Parses a page or a fragment of one. Nothing is loaded and nothing is run. `body` contains everything that was given,
 * since the library makes no body for pages that leave its tags out.
 */
export async function parsedPage(html: string): Promise<ParsedPage> {
  const document = await parsed(`<!doctype html><html><head></head><body>${html}</body></html>`)
  return {
    body: document.body,
    title: document.querySelector('title')?.textContent ?? '',
    base: document.querySelector('base[href]')?.getAttribute('href') ?? undefined,
    isArticle: document.querySelector(articleMarks) !== null,
    document,
  }
}

/** Of the Open Graph protocol, and of schema.org. */
const articleMarks =
  'meta[property="og:type"][content="article"], [itemprop="articleBody"], [itemtype$="Article"], [itemtype$="BlogPosting"]'

/** A page with its own head and body, for libraries that look for them. */
export async function writtenPage(html: string): Promise<object> {
  const document = await parsed(html)
  return document.body.firstChild === null ? (await parsedPage(html)).document : document
}

async function parsed(html: string): Promise<LibraryDocument> {
  const { parseHTML } = await import('linkedom')
  return (parseHTML(html) as unknown as { readonly document: LibraryDocument }).document
}

interface LibraryDocument {
  readonly body: PageNode
  querySelector(selector: string): PageNode | null
}

/**
 * Every node below one, a parent before its children; below those that `enters` refuses, and these themselves, nothing.
 * Without recursion, so no depth is too much.
 */
export function* nodesBelow(root: PageNode, enters: (node: PageNode) => boolean = () => true): Generator<PageNode> {
  let node = root.firstChild
  while (node !== null) {
    const entered = enters(node)
    if (entered) yield node
    let next: PageNode | null = entered ? node.firstChild : null
    for (let up: PageNode | null = node; next === null && up !== null && up !== root; up = up.parentNode) {
      next = up.nextSibling
    }
    node = next
  }
}

export function* childNodes(node: PageNode): Generator<PageNode> {
  for (let child = node.firstChild; child !== null; child = child.nextSibling) yield child
}

const blocks = new Set(
  (
    'address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td tfoot ' +
    'th thead tr ul caption'
  ).split(' '),
)

/** What a browser does not show: what runs, describes the page, or offers words for it to use. */
const unseen = new Set('script style head title meta link template noscript datalist'.split(' '))

/** What a page shows and its text does not have, by the word for it. */
const unread: Readonly<Record<string, string>> = {
  iframe: 'frames',
  frame: 'frames',
  object: 'embedded objects',
  embed: 'embedded objects',
  applet: 'embedded objects',
  canvas: 'drawings',
  svg: 'drawings',
  audio: 'recordings',
  video: 'recordings',
  map: 'image maps',
  button: 'buttons',
}

/** Counts what is shown below a node and is not read as text: frames, drawings, recordings, images without words. */
export function countUnread(root: PageNode, add: (what: string) => void): void {
  const seen = (node: PageNode) =>
    node.nodeType === 1 && !isInvisible(node) && !unread[node.parentNode?.localName ?? '']
  for (const node of nodesBelow(root, seen)) {
    if (node.localName === 'img' && node.getAttribute('alt') === null) add('images without a description')
    const what = isHidden(node) ? unread[node.localName] : undefined
    if (what !== undefined) add(what)
  }
}

/** The words of a drawing: its name and what is written in it. */
export function drawingWords(svg: PageNode): string {
  const words = [...nodesBelow(svg)].filter(({ localName }) => /^(?:text|title|desc|foreignobject)$/i.test(localName))
  const said = words.map((node) => node.textContent ?? '').join(' ')
  return (said.trim() || (svg.getAttribute('aria-label') ?? '')).replace(/\s+/g, ' ').trim()
}

/** A button within these is a word of the text, such as a question that opens its answer. */
const buttonHolders = new Set('h1 h2 h3 h4 h5 h6 summary dt legend label th'.split(' '))

/** Whether an element is on lines of its own. */
export function isBlock(node: PageNode): boolean {
  return node.nodeType === 1 && blocks.has(node.localName)
}

/** Whether a node is neither an element nor a text that is read; comments and the like are not. */
export function isHidden(node: PageNode): boolean {
  if (node.nodeType === 3) return false
  if (node.nodeType !== 1 || isInvisible(node)) return true
  if (node.localName === 'svg') return drawingWords(node) === ''
  if (node.localName === 'button') return !buttonHolders.has(node.parentNode?.localName ?? '')
  return unread[node.localName] !== undefined
}

/** Whether a browser does not show an element. The part of a page that a template holds for its parent is shown. */
function isInvisible(node: PageNode): boolean {
  if (unseen.has(node.localName) && node.getAttribute('shadowrootmode') === null) return true
  if (node.getAttribute('hidden') !== null || node.getAttribute('aria-hidden') === 'true') return true
  return /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(node.getAttribute('style') ?? '')
}

/** The text of a part of a page on one line. Without recursion, so that any depth is fine. */
export function flatText(root: PageNode): string {
  const texts: string[] = []
  for (const node of nodesBelow(root, (one) => !isHidden(one))) {
    if (node.nodeType === 3) texts.push(node.textContent ?? '')
    else if (isBlock(node) || node.localName === 'br') texts.push(' ')
  }
  return texts.join('').replace(/\s+/g, ' ').trim()
}

/** The text of a small part of a page, with its buttons; `undefined` for a large one, which is not read to its end. */
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
