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
  /** What `<title>` says. */
  readonly title: string
  /** What `<base href>` says. */
  readonly base: string | undefined
  /** It says of itself that it is an article. */
  readonly isArticle: boolean
  /** For libraries that take a `Document`. */
  readonly document: object
}

/**
 * Takes a page or a fragment of one apart. Nothing is loaded and nothing is run. `body` holds all that was handed in,
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

/** A page as it was written, for libraries that look for its head and body. */
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

export function* childrenOf(node: PageNode): Generator<PageNode> {
  for (let child = node.firstChild; child !== null; child = child.nextSibling) yield child
}
