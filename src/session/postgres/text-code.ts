const NUL = '\0'
const ESCAPE = '\u001A'
const HALVES = String.raw`[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]`
const REFUSED = new RegExp(`[${NUL}${ESCAPE}]|${HALVES}`, 'g')
const ESCAPED = new RegExp(`${ESCAPE}([0-9a-f]{4})`, 'g')

/**
 * A text as PostgreSQL stores it. It refuses the character NUL, and UTF-8 cannot hold half a surrogate pair: each is written as a control
 * character that no JSON contains, with its number behind it. All other texts stay as they are.
 */
export function encodeText(text: string): string {
  if (text.isWellFormed() && !text.includes(NUL) && !text.includes(ESCAPE)) return text
  return text.replace(REFUSED, (unit) => `${ESCAPE}${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The text that was encoded. */
export function decodeText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored
  return stored.replace(ESCAPED, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)))
}
