import { nodesBelow, type PageNode } from './parsed-page.ts'
import { shortText } from './flat-text.ts'

/** What asks for a consent to cookies: by its name and its words, or by its words and a button that answers them. */
export function isConsentBanner(node: PageNode, role: string): boolean {
  if (!boxes.has(node.localName)) return false
  const names = `${node.getAttribute('id') ?? ''} ${node.getAttribute('class') ?? ''}`.slice(0, 500)
  if (bannerNames.test(names)) return bannerWords.test(shortText(node, LONGEST) ?? '')
  const asks = role.endsWith('dialog') || node.localName === 'dialog' || hasAnswer(node)
  return asks && cookieWords.test(shortText(node, LONGEST) ?? '')
}

const boxes = new Set(['div', 'section', 'aside', 'form', 'dialog', 'footer', 'header', 'p', 'span'])

/** Characters. */
const LONGEST = 2_000

/** Plain names of such boxes, and those of the services that make them. */
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

/** In the languages of many such boxes. */
const answers =
  /^(?:(?:i |ja, )?(?:accept|agree|allow|reject|decline|akzeptier|zustimmen|einverstanden|verstanden|accepter|tout accepter|j.accepte|aceptar|acepto|accett[ao]|akkoord|accepteren|aceitar|godk[äj]nn).*|ok(?:ay)?|got it|understood|i understand|同意.*|принять.*)$/i
