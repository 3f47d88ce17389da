import type { PageNode } from './parsed-page.ts'

const blocks = new Set(
  (
    'address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td tfoot ' +
    'th thead tr ul caption'
  ).split(' '),
)

/** What a browser does not show, or shows only when it runs. */
const unseen = new Set(
  (
    'script style head title meta link template noscript iframe object embed svg canvas audio video map input select ' +
    'button textarea option datalist'
  ).split(' '),
)

/** Whether an element stands on lines of its own. */
export function isBlock(node: PageNode): boolean {
  return node.nodeType === 1 && blocks.has(node.localName)
}

/** Whether a node is an element or a text that a reader would see; comments and the like are not. */
export function isHidden(node: PageNode): boolean {
  if (node.nodeType === 3) return false
  if (node.nodeType !== 1 || unseen.has(node.localName)) return true
  if (node.getAttribute('hidden') !== null || node.getAttribute('aria-hidden') === 'true') return true
  return /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(node.getAttribute('style') ?? '')
}
