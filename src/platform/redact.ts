/** Characters of the longest message. */
const LONGEST = 300
/** Characters of the shortest secret that is looked for: a shorter one would be part of ordinary words. */
const SHORTEST_SECRET = 4

/** Patterns of keys, also of those that a service repeats half masked. */
const KEYS = [
  /\b(?:sk|pk|rk|key)-[\w*.-]{6,}/gi,
  /\bbearer\s+[\w.~+/*=-]{6,}/gi,
  /(?<=api[-_ ]?key["']?\s{0,2}[=:]\s{0,2}["']?)[\w*.-]{6,}/gi,
]

/**
 * The message of a service, for an error or a log: one line of at most 300 characters. Secrets, and anything that looks like
 * a key, become `[key]`.
 */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue
    for (const form of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])) {
      clean = clean.replaceAll(form, '[key]')
    }
  }
  for (const pattern of KEYS) clean = clean.replace(pattern, '[key]')
  clean = clean.replace(/\s+/g, ' ').trim()
  return clean.length > LONGEST ? `${clean.slice(0, LONGEST).toWellFormed()} …` : clean
}

/** An http(s) address without its name, password and query, which may be secrets. Any other text is returned as it is. */
export function publicAddress(text: string): string {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return text
  const { origin, pathname, search } = new URL(text)
  return `${origin}${pathname}${search === '' ? '' : '?…'}`
}
