const LONGEST = 300
const SHORTEST_SECRET = 4

/** What looks like a key even where it is not one of ours: a service may echo it half masked. */
const keys = [/\b(?:sk|pk|rk|key)-[\w*.-]{6,}/gi, /\bbearer\s+[\w.~+/*=-]{6,}/gi]

/** A service's own words, fit for an error: one line, shortened, without the given secrets and what looks like one. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue
    for (const form of [secret, encodeURIComponent(secret)]) clean = clean.replaceAll(form, '[key]')
  }
  for (const key of keys) clean = clean.replace(key, '[key]')
  clean = clean.replace(/\s+/g, ' ').trim()
  return clean.length > LONGEST ? `${clean.slice(0, LONGEST).toWellFormed()} …` : clean
}
