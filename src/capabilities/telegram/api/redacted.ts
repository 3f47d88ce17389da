/** What looks like the token of a bot, ours or not. */
const TOKEN = /\d{5,}:[\w-]{20,}/g

/** A text fit for an error or a log: one line without the token. */
export function redacted(text: string, token: string): string {
  const clean = token === '' ? text : text.replaceAll(token, '[token]').replaceAll(encodeURIComponent(token), '[token]')
  return clean.replace(TOKEN, '[token]').replace(/\s+/g, ' ').trim()
}
