/** A path as one line that cannot be mistaken for more: what would not be seen, or would break the line, is written out. */
export function shownName(path: string): string {
  return path.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    return `\\u{${character.codePointAt(0)!.toString(16)}}`
  })
}
