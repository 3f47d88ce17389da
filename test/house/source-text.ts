/** A source file with the parts blanked out that are not what they look like. Both texts keep every offset. */
export interface SourceText {
  /** Without comments and without the insides of strings and regular expressions. */
  readonly code: string
  /** Without comments. */
  readonly text: string
}

export function sourceText(source: string): SourceText {
  const code = source.split('')
  const text = [...code]
  let at = 0
  /** Depths of open braces at which a template goes on. */
  const templates: number[] = []
  let depth = 0
  while (at < source.length) {
    const character = source[at]!
    const pair = source.slice(at, at + 2)
    if (pair === '//') at = blank([code, text], at, endOf(source, '\n', at))
    else if (pair === '/*') at = blank([code, text], at, endOf(source, '*/', at + 2) + 2)
    else if (character === "'" || character === '"') at = inside(character, at + 1)
    else if (character === '`') at = template(at + 1)
    else if (character === '/' && beginsPattern(code, at)) at = pattern(at + 1)
    else {
      if (character === '{') depth++
      if (character === '}') {
        depth--
        if (templates.at(-1) === depth) {
          templates.pop()
          at = template(at + 1)
          continue
        }
      }
      at++
    }
  }
  return { code: code.join(''), text: text.join('') }

  function inside(quote: string, start: number): number {
    let end = start
    while (end < source.length && source[end] !== quote) end += source[end] === '\\' ? 2 : 1
    return blank([code], start, end) + 1
  }

  function template(start: number): number {
    let end = start
    while (end < source.length && source[end] !== '`' && source.slice(end, end + 2) !== '${') {
      end += source[end] === '\\' ? 2 : 1
    }
    blank([code], start, end)
    if (source[end] !== '$') return end + 1
    templates.push(depth)
    depth++
    return end + 2
  }

  function pattern(start: number): number {
    let end = start
    let inClass = false
    while (end < source.length && (inClass || source[end] !== '/')) {
      if (source[end] === '[') inClass = true
      if (source[end] === ']') inClass = false
      end += source[end] === '\\' ? 2 : 1
    }
    return blank([code], start, end) + 1
  }
}

function blank(texts: readonly string[][], start: number, end: number): number {
  const stop = Math.min(end, texts[0]!.length)
  for (const text of texts) for (let at = start; at < stop; at++) if (text[at] !== '\n') text[at] = ' '
  return stop
}

function endOf(source: string, mark: string, from: number): number {
  const found = source.indexOf(mark, from)
  return found === -1 ? source.length : found
}

/** A slash begins a pattern where no value can have ended. */
function beginsPattern(code: readonly string[], at: number): boolean {
  const before = code
    .slice(Math.max(0, at - 40), at)
    .join('')
    .trimEnd()
  return before === '' || /[(,=:[!&|?{};+*%<>~^-]$|\b(return|typeof|case|in|of|await|yield)$/.test(before)
}
