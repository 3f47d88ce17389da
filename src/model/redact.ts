const LONGEST_DETAIL = 300
const SHORTEST_SECRET = 6

/** What looks like a key even where it is not one of ours: a provider may echo it half masked. */
const KEYS = [
  /\b(?:sk|pk|rk|key)-[\w*.-]{6,}/gi,
  /\bbearer\s+[\w.~+/*=-]{6,}/gi,
  /(?<=api[-_ ]?key["']?\s{0,2}[=:]\s{0,2}["']?)[\w*.-]{6,}/gi,
]

/**
 * A provider's own words, fit for an error or a log: one line, shortened, without the given secrets and without anything
 * that looks like a key.
 */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue
    for (const form of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])) {
      clean = clean.replaceAll(form, '[key]')
    }
  }
  for (const pattern of KEYS) clean = clean.replace(pattern, '[key]')
  clean = clean.replace(/\s+/g, ' ').trim()
  return clean.length > LONGEST_DETAIL ? `${clean.slice(0, LONGEST_DETAIL)} …` : clean
}
