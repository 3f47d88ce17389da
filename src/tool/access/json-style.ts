/** How somebody writes a JSON text: what is put into it is written the same way. */
export interface JsonStyle {
  /** The first line break of the text; `\n` where there is none. */
  readonly eol: '\n' | '\r\n' | '\r'
  /** One level of indentation. */
  readonly unit: string
}

export function jsonStyle(text: string): JsonStyle {
  const eol = (/\r\n|\n|\r/.exec(text)?.[0] ?? '\n') as JsonStyle['eol']
  // The first indented key: a comment may be indented as it likes.
  const indent = /(?:^|[\r\n])([ \t]+)"/.exec(text)?.[1]
  return { eol, unit: indent?.startsWith('\t') ? '\t' : indent && indent.length <= 8 ? indent : '  ' }
}

/** A value as JSON. With `lines`, each key of an object has its own, below `indent`; lists stand on one line. */
export function writtenJson(
  value: unknown,
  style: JsonStyle,
  { indent, lines }: { readonly indent: string; readonly lines: boolean },
): string {
  if (Array.isArray(value)) {
    return `[${value.map((item) => writtenJson(item, style, { indent, lines: false })).join(', ')}]`
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  if (entries.length === 0) return '{}'
  const deeper = indent + style.unit
  const written = entries.map(
    ([key, inner]) => `${JSON.stringify(key)}: ${writtenJson(inner, style, { indent: deeper, lines })}`,
  )
  if (!lines) return `{ ${written.join(', ')} }`
  return `{${style.eol}${written.map((each) => deeper + each).join(`,${style.eol}`)}${style.eol}${indent}}`
}
