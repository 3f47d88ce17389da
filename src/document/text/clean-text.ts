/** Line ends are `\n`, no NUL, and no half of a character: what every store and every wire takes. */
export function cleanText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '').toWellFormed()
}
