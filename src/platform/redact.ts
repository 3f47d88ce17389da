import { knownSecrets } from './known-secrets.ts'

/** Characters of the longest message, with its mark. */
const LONGEST = 300
/** Keys, also half masked ones as a service may repeat them, and credentials in addresses. */
const KEYS = [
  /\b(?:sk|pk|rk|key)-[\w*.-]{6,}/gi,
  /\bbearer\s+[\w.~+/*=-]{6,}/gi,
  /(?<=api[-_ ]?key["']?\s{0,2}[=:]\s{0,2}["']?)[\w*.-]{6,}/gi,
  /(?<=\w:\/\/)[^\s/@"']{1,500}(?=@)/g,
  /(?<=[?&][\w-]*(?:key|token|secret|password|sig)[\w-]*=)[^\s&"']+/gi,
]

/**
 * The message of a service, for an error or a log: one line of at most 300 characters. Secrets, and anything that looks like
 * a key, become `[key]`.
 */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  const known = knownSecrets()
  for (const secret of secrets) known.learn('key', secret)
  let clean = known.redact(text)
  for (const pattern of KEYS) clean = clean.replace(pattern, '[key]')
  clean = clean.replace(/\s+/g, ' ').trim()
  return clean.length > LONGEST ? `${clean.slice(0, LONGEST - 2).toWellFormed()} …` : clean
}

/**
 * An http(s) address without its name, password and query, which may be secrets; one of PostgreSQL without its password. Any other text
 * is returned as it is.
 */
export function publicAddress(text: string): string {
  if (/^postgres(?:ql)?:/i.test(text)) return text.replace(PASSWORD, '$1***').replace(PASSWORD_PARAMETER, '$1***')
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return text
  const { origin, pathname, search } = new URL(text)
  return `${origin}${pathname}${search === '' ? '' : '?…'}`
}

/** Of an address of PostgreSQL: a password may have an `@`, a `/` and a `:` in it. */
const PASSWORD = /^([a-z]+:\/\/[^/@]*?:).*(?=@[^@]*$)/i
const PASSWORD_PARAMETER = /([?&](?:ssl)?password=)[^&]*/gi

/** The passwords in an address of PostgreSQL, as they are written. */
export function addressPasswords(text: string): readonly string[] {
  const parameters = [...text.matchAll(PASSWORD_PARAMETER)]
  return [PASSWORD.exec(text), ...parameters].flatMap((found) => (found ? [found[0].slice(found[1]!.length)] : []))
}

/** The same data with every text and key as `redact` gives it; what holds nothing to take out is the same value. */
export function redactData<Data>(data: Data, redact: (text: string) => string): Data {
  const text = JSON.stringify(data)
  if (text === undefined || redact(text) === text) return data
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value === 'string') return redact(value)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [redact(key), inner]))
  }) as Data
}
