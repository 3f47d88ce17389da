/** The last place up to `at` where a text can be cut: a pair of UTF-16 units is one character, and half of it is none. */
export function wholeCharacter(text: string, at: number): number {
  return at > 0 && at < text.length && /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at
}
