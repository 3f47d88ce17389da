/** What has been read of the `(https://…)` behind a marker: a model that writes `[1](https://…)` cites. */
export interface MarkerLink {
  readonly text: string
  readonly part: 'scheme' | 'address'
  /** Parentheses that are open; 0: the link is whole. */
  readonly depth: number
}

/** Begins behind a marker, at a `(`. */
export const linkStart: MarkerLink = { text: '(', part: 'scheme', depth: 1 }

/**
 * The link with one more character; `undefined` where it is none. No bracket may stand in it, so that what turns out to be
 * no link holds no other marker and is not read twice.
 */
export function linkAfter({ text, part, depth }: MarkerLink, char: string): MarkerLink | undefined {
  const longer = text + char
  if (part === 'scheme') {
    if (schemes.includes(longer)) return { text: longer, part: 'address', depth }
    return schemes.some((scheme) => scheme.startsWith(longer)) ? { text: longer, part, depth } : undefined
  }
  if (text.length >= longest || never.test(char)) return undefined
  const change = char === '(' ? 1 : char === ')' ? -1 : 0
  return { text: longer, part, depth: depth + change }
}

const schemes = ['(https://', '(http://']
const never = /[\s\p{Cc}\\`<>"[\]【】［］]/u

/** In characters. */
const longest = 2048
