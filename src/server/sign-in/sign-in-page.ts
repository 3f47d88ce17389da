import { securityHeaders } from '../answer.ts'
import type { HttpFailure } from '../failure.ts'

const style =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark}'

const headers = {
  ...securityHeaders,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'",
}

/** A page that says why nobody was signed in, and leads back to the beginning. */
export function failurePage({ failure }: HttpFailure, cookie: string | undefined): Response {
  const { status, message, hint, headers: own } = failure
  const texts = [message, hint].map((text) => (text === undefined ? '' : `<p>${escaped(text)}</p>`))
  const document =
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>Foreword</title><style>${style}</style><h1>Not signed in</h1>${texts.join('')}<p><a href="/sign-in">Sign in</a></p>`
  return new Response(document, { status, headers: { ...headers, ...own, ...(cookie && { 'set-cookie': cookie }) } })
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
