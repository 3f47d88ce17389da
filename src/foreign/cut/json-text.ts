/** Where a value stands in a JSON text: from `start` up to and without `end`. */
export interface TextSpan {
  readonly start: number
  readonly end: number
}

/** A field of an object, or an element of a list, whose key is then its index. */
interface Child extends TextSpan {
  readonly key: string
}

/**
 * The value at a path in a JSON text that `JSON.parse` accepts, as it is written. `undefined`: there is none. Of several fields
 * of one name the last counts, as for `JSON.parse`.
 */
export function spanAt(
  text: string,
  path: readonly (string | number)[],
  from: TextSpan = whole(text),
): TextSpan | undefined {
  let found = from
  for (const key of path) {
    const inner = childrenOf(text, found).findLast((child) => child.key === String(key))
    if (!inner) return undefined
    found = inner
  }
  return { start: found.start, end: found.end }
}

/** The elements of a list as they are written. Empty for what is no list. */
export function elementSpans(text: string, list: TextSpan): readonly TextSpan[] {
  return text[list.start] === '[' ? childrenOf(text, list) : []
}

function whole(text: string): TextSpan {
  return { start: afterSpace(text, 0), end: text.trimEnd().length }
}

function childrenOf(text: string, { start }: TextSpan): readonly Child[] {
  const isFields = text[start] === '{'
  if (!isFields && text[start] !== '[') return []
  const children: Child[] = []
  let at = afterSpace(text, start + 1)
  while (at < text.length && text[at] !== '}' && text[at] !== ']') {
    let key = String(children.length)
    if (isFields) {
      const end = valueEnd(text, at)
      key = JSON.parse(text.slice(at, end)) as string
      at = afterSpace(text, afterSpace(text, end) + 1)
    }
    const end = valueEnd(text, at)
    children.push({ key, start: at, end })
    at = afterSpace(text, end)
    if (text[at] === ',') at = afterSpace(text, at + 1)
  }
  return children
}

function afterSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1
  return at
}

/** Behind the value that begins here. */
function valueEnd(text: string, begin: number): number {
  const first = text[begin]
  if (first === '"') return textEnd(text, begin)
  let at = begin
  if (first !== '{' && first !== '[') {
    while (at < text.length && !',}]'.includes(text[at]!) && text.charCodeAt(at) > 0x20) at += 1
    return at
  }
  let depth = 0
  while (at < text.length) {
    const sign = text[at]
    if (sign === '"') {
      at = textEnd(text, at)
      continue
    }
    if (sign === '{' || sign === '[') depth += 1
    if (sign === '}' || sign === ']') depth -= 1
    at += 1
    if (depth === 0) return at
  }
  return at
}

/** Behind the quote that ends a text. */
function textEnd(text: string, begin: number): number {
  for (let from = begin + 1; ;) {
    const quote = text.indexOf('"', from)
    if (quote < 0) return text.length
    let slashes = 0
    while (text[quote - slashes - 1] === '\\') slashes += 1
    if (slashes % 2 === 0) return quote + 1
    from = quote + 1
  }
}
