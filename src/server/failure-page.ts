import type { Failure } from '../capability.ts'
import { escapeMarkup } from '../platform.ts'
import { securityHeaders } from './answer.ts'

const style =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark}'

const pageHeaders = {
  ...securityHeaders,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'",
  vary: 'accept-language',
}

/** What German pages say by the code of a failure; behind it they have the message, as it is. */
const german: Readonly<Record<string, string>> = {
  unauthorized:
    'Dieser Link meldet niemanden an: Er wurde schon benutzt, ist abgelaufen oder unvollständig. Bitte den Eigentümer dieses Gateways um einen neuen.',
  'sign-in-failed': 'Die Anmeldung ist fehlgeschlagen. Beginne sie noch einmal.',
  'sign-in-denied':
    'Dein Konto wurde erkannt, hat aber keinen Zugang zu diesem Gateway. Bitte den Eigentümer dieses Gateways darum.',
  'sign-in-unavailable':
    'Der Anmeldedienst antwortet nicht richtig. Versuche es später noch einmal. Token gelten weiter, und angemeldete Browser bleiben angemeldet.',
  'too-many-attempts': 'Zu viele Versuche sind fehlgeschlagen. Warte einen Moment und versuche es dann noch einmal.',
}

/** Whether a request is of a browser that shows the answer as a page. */
export function wantsPage(headers: Headers): boolean {
  return headers.get('accept')?.includes('text/html') === true
}

/** A page that says why nobody was signed in, in the language of the browser. `signIn`: a link leads to the beginning of the sign-in. */
export function failurePage(
  { status, code, message, hint, facts, headers: own }: Failure,
  asked: Headers,
  { signIn = false, cookie }: { readonly signIn?: boolean; readonly cookie?: string | undefined } = {},
): Response {
  const said = prefersGerman(asked) ? germanText(code, facts) : undefined
  const language = said === undefined ? 'en' : 'de'
  const texts =
    said === undefined
      ? [message, hint].map((text) => (text === undefined ? '' : `<p>${escapeMarkup(text)}</p>`))
      : [`<p>${said}</p>`, `<p lang="en"><small>${escapeMarkup(message)}</small></p>`]
  const link = `<p><a href="/sign-in">${language === 'de' ? 'Anmelden' : 'Sign in'}</a></p>`
  const title = language === 'de' ? 'Nicht angemeldet' : 'Not signed in'
  return new Response(pageDocument(language, title, `${texts.join('')}${signIn ? link : ''}`), {
    status,
    headers: { ...pageHeaders, ...own, ...(cookie && { 'set-cookie': cookie }) },
  })
}

function germanText(code: string, { retryAfterSeconds: seconds }: Failure['facts']): string | undefined {
  if (code !== 'too-many-attempts' || typeof seconds !== 'number') return german[code]
  return `Zu viele Versuche sind fehlgeschlagen. Versuche es in ${seconds} s noch einmal.`
}

/** A page that says that nothing is at an address, with the way back, in the language of the browser. */
export function missingPage(asked: Headers): Response {
  const [language, title, text, link] = prefersGerman(asked)
    ? ['de', 'Nicht gefunden', 'Unter dieser Adresse gibt es keine Seite.', 'Zum Anfang']
    : ['en', 'Not found', 'There is no page at this address.', 'Back to the start']
  const document = pageDocument(language, title, `<p>${text}</p><p><a href="/">${link}</a></p>`)
  return new Response(document, { status: 404, headers: pageHeaders })
}

function pageDocument(language: string, title: string, body: string): string {
  return (
    `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${title} · Foreword</title><style>${style}</style><main><h1>${title}</h1>${body}</main>`
  )
}

/** Whether German comes before English among the languages of a browser. */
function prefersGerman(headers: Headers): boolean {
  const known = (headers.get('accept-language') ?? '').split(',').flatMap((each) => {
    const [, tag, weight = '1'] = /^\s*(de|en)\b[^;]*(?:;\s*q=([\d.]+))?/i.exec(each) ?? []
    return tag === undefined ? [] : [{ tag: tag.toLowerCase(), weight: Number(weight) }]
  })
  return known.toSorted((one, other) => other.weight - one.weight)[0]?.tag === 'de'
}
