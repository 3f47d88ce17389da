/**
 * One line that shows a text as it is: what could not be seen, would move the cursor or would turn the reading direction
 * is written out, such as `\n` or `\u{202e}`. For what a person decides about, wherever it is shown.
 */
export function exactLine(text: string): string {
  return text.replaceAll(UNSEEN, written)
}

/** The same for a text of several lines. Its tabs and line ends stay. */
export function exactLines(text: string): string {
  return text
    .replaceAll('\r\n', '\\r\n')
    .replaceAll(UNSEEN, (character) => (character === '\n' || character === '\t' ? character : written(character)))
}

/** Program and arguments on one line, clearly separated: a word that is not plain is in quotes. */
export function argvText(argv: readonly string[]): string {
  return argv.map((word) => (PLAIN.test(word) ? word : exactLine(JSON.stringify(word)))).join(' ')
}

/** Letters among letters of another script that they resemble, such as a Cyrillic `а` in a Latin word. */
export function lookAlikes(text: string): readonly string[] {
  const words = text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const mixed = words.filter((word) => /\p{Script=Latin}/u.test(word)).flatMap((word) => word.match(RESEMBLING) ?? [])
  return [...new Set(mixed)].map((letter) => `${letter} (${codePoint(letter)})`)
}

const PLAIN = /^[\w@%+=:,./^-]+$/

// Everything that leaves no mark of its own: controls, formats, separators but the plain blank, unassigned and private,
// what is left out where it is not understood, such as the Hangul filler, and the blank of Braille.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

const RESEMBLING = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]|[\uFF01-\uFF5E]/gu

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function written(character: string): string {
  return SHORT[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`
}

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}
