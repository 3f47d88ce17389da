import * as fc from 'fast-check'

/** JSON whose objects keep the order of their keys, and may have one called `__proto__`. */
export type Json = null | boolean | number | string | readonly Json[] | ReadonlyMap<string, Json>

/** A text that somebody may have written. */
export interface JsonText {
  readonly text: string
  /** The one line break that is used in it. */
  readonly eol: string
  /** A byte order mark, or nothing. */
  readonly mark: string
}

const gap = fc.constantFrom(
  '',
  ' ',
  '\t',
  '\n',
  '\n  ',
  ' /* c */ ',
  '/**/',
  ' // "quoted", [note]\n',
  '\n    // note\n    ',
)

/** Values as texts: with any blanks and comments, a comma at the end or none, any line breaks, with a byte order mark or without. */
export function jsonTexts(values: fc.Arbitrary<Json>): fc.Arbitrary<JsonText> {
  return fc
    .record({
      value: values,
      gaps: fc.infiniteStream(gap),
      commas: fc.infiniteStream(fc.boolean()),
      eol: fc.constantFrom('\n', '\r\n', '\r'),
      mark: fc.constantFrom('', '\uFEFF'),
    })
    .map(({ value, gaps, commas, eol, mark }) => {
      const written = next(gaps) + writtenBy(value, gaps, commas) + next(gaps)
      return { text: mark + written.replaceAll('\n', eol), eol, mark }
    })
}

/** The comments of a text, each as it stands there, but for those in one stretch of it. */
export function commentsOf(text: string, except = { from: 0, to: 0 }): readonly string[] {
  const found = text.matchAll(/"(?:[^"\\]|\\.)*"|\/\/[^\r\n]*|\/\*[^]*?\*\//g)
  return [...found]
    .filter(({ 0: piece, index }) => !piece.startsWith('"') && !(index >= except.from && index < except.to))
    .map(([piece]) => piece)
}

/** Line breaks of a text that are not this one. */
export function otherBreaks(text: string, eol: string): readonly string[] {
  return (text.match(/\r\n|\n|\r/g) ?? []).filter((each) => each !== eol)
}

function writtenBy(value: Json, gaps: Iterator<string>, commas: Iterator<boolean>): string {
  const inner = (each: Json) => writtenBy(each, gaps, commas)
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<string, Json>)]
    return list(
      '{',
      '}',
      entries.map(([key, each]) => `${JSON.stringify(key)}${next(gaps)}:${next(gaps)}${inner(each)}`),
    )
  }
  return Array.isArray(value) ? list('[', ']', (value as readonly Json[]).map(inner)) : JSON.stringify(value)

  function list(open: string, close: string, items: readonly string[]): string {
    if (items.length === 0) return open + next(gaps) + close
    const comma = commas.next().value ? `,${next(gaps)}` : ''
    return open + items.map((item) => next(gaps) + item + next(gaps)).join(',') + comma + close
  }
}

function next(gaps: Iterator<string>): string {
  return gaps.next().value as string
}
