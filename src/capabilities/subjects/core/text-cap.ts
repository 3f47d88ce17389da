export interface TextCap {
  readonly chars: number
  /** How the rest can be read, in words. */
  readonly rest: string
}

export const uncapped: TextCap = { chars: Number.POSITIVE_INFINITY, rest: '' }

/** A text of at most `chars` characters; a shortened one ends with a sentence about what is missing. */
export function capText(text: string, { chars, rest }: TextCap): string {
  if (text.length <= chars) return text
  const shown = textBeginning(text, chars)
  return `${shown}\n\n${capNotice(shown.length, text.length, rest)}`
}

/** `rest`: how to read the rest. */
export function capNotice(shown: number, all: number, rest: string): string {
  return `[${shown} of ${all} characters shown; ${rest}]`
}

/** Never half of a character; neither does `textEnd`. */
export function textBeginning(text: string, most: number): string {
  return text.slice(0, splitsPair(text, most) ? most - 1 : most)
}

export function textEnd(text: string, most: number): string {
  const from = Math.max(0, text.length - most)
  return text.slice(splitsPair(text, from) ? from + 1 : from)
}

/** How the rest of a text can be read that no tool reads. */
export const moreBySetting = 'the setting subjects.maxTextChars says how many'
/** The same where all of a reply is too long. */
export const moreByReply = 'the setting subjects.maxReplyChars says how many all texts together may have'

function splitsPair(text: string, at: number): boolean {
  return at > 0 && /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1))
}
