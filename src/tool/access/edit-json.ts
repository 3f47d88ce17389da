import { isDeepStrictEqual } from 'node:util'
import { type JSONPath, type Node, type ParseError, parseTree } from 'jsonc-parser'

/** One change of a JSON text. A path has a name for each level, and a number for an item of a list. */
export type JsonChange =
  /** What is missing above it is made. */
  | { readonly type: 'set'; readonly path: readonly string[]; readonly value: unknown }
  /** Nothing happens where there is no such thing. */
  | { readonly type: 'remove'; readonly path: JSONPath }
  /** Becomes the last item of a list, which is made where there is none. */
  | { readonly type: 'append'; readonly path: readonly string[]; readonly value: unknown }

/**
 * A JSON text with comments after some changes. Everything else stays byte for byte as it is: comments, blanks, line
 * breaks, the order of keys. The result has been parsed again: it contains the changes, and no other difference.
 *
 * @throws Error where the text is not JSON, or where a value on the path is no object
 */
export function editJson(text: string, changes: readonly JsonChange[]): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  return mark + changes.reduce(editedOnce, text.slice(mark.length))
}

function editedOnce(text: string, change: JsonChange): string {
  const whole = parsedJson(text) ? text : withObject(text)
  const after = spliced(whole, planSplices(whole, change))
  const meant = changedValue(plain(parsedJson(whole)!), change)
  const root = parsedJson(after)
  if (root && isDeepStrictEqual(plain(root), meant)) return after
  throw new Error(`the file could not be changed at ${change.path.join('.')} without changing something else`)
}

/** `undefined` where there is nothing but blanks and comments. */
function parsedJson(text: string): Node | undefined {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  if (errors.length > 0) throw new Error(`the text is not JSON at character ${errors[0]!.offset}`)
  return root
}

/** A text of comments alone, with an empty object behind them. */
function withObject(text: string): string {
  const { eol } = jsonStyle(text)
  const comments = text.trimEnd()
  return comments === '' ? `{}${eol}` : `${comments}${eol}{}${eol}`
}

function planSplices(text: string, change: JsonChange): readonly Splice[] {
  const style = jsonStyle(text)
  const root = parsedJson(text)!
  if (change.type === 'remove') {
    const node = nodeAt(root, change.path)
    return node ? removal(text, node.parent?.type === 'property' ? node.parent : node) : []
  }
  const { path, value } = change
  let at = root
  for (const [index, name] of path.entries()) {
    if (at.type !== 'object') throw new Error(`${path.slice(0, index).join('.') || 'the file'} is not an object`)
    const inner = childNamed(at, name)
    if (!inner) {
      const rest = path.slice(index + 1)
      const made = rest.reduceRight<unknown>(
        (made_, key) => ({ [key]: made_ }),
        change.type === 'set' ? value : [value],
      )
      const isDeep = at === root || rest.length > 0
      return insertion(text, at, (indent, lines) => {
        const own = writtenJson(made, style, { indent, lines: lines && isDeep })
        return `${JSON.stringify(name)}: ${own}`
      })
    }
    at = inner
  }
  const indent = readIndent(text, at.offset)
  if (change.type === 'append') {
    if (at.type !== 'array') throw new Error(`${path.join('.')} is not a list`)
    return insertion(text, at, (deeper, lines) => writtenJson(value, style, { indent: deeper, lines }))
  }
  return [{ at: at.offset, length: at.length, text: writtenJson(value, style, { indent, lines: true }) }]
}

function childNamed(object: Node, name: string): Node | undefined {
  return object.children?.find(({ children }) => children?.[0]?.value === name)?.children?.[1]
}

function nodeAt(root: Node, path: JSONPath): Node | undefined {
  let at: Node | undefined = root
  for (const segment of path) {
    if (typeof segment === 'number') at = at?.type === 'array' ? at.children?.[segment] : undefined
    else at = at?.type === 'object' ? childNamed(at, segment) : undefined
  }
  return at
}

/** The value of a tree. Objects are maps, so that a key may be `__proto__`. */
function plain(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plain)
  if (node.type !== 'object') return node.value
  const entries = (node.children ?? []).map(({ children: [key, value] = [] }): [string, unknown] => [
    String(key!.value),
    plain(value!),
  ])
  return new Map(entries)
}

function changedValue(value: unknown, change: JsonChange): unknown {
  const [segment, ...path] = change.path
  if (segment === undefined) {
    if (change.type === 'append') return [...((value as readonly unknown[] | undefined) ?? []), ofJson(change.value)]
    return change.type === 'set' ? ofJson(change.value) : undefined
  }
  const isLast = path.length === 0
  if (Array.isArray(value) && typeof segment === 'number') {
    if (segment >= value.length) return value
    if (change.type === 'remove' && isLast) return value.toSpliced(segment, 1)
    return value.with(segment, changedValue(value[segment], { ...change, path } as JsonChange))
  }
  const map = new Map(value instanceof Map ? (value as Map<string, unknown>) : [])
  const name = String(segment)
  if (change.type === 'remove') {
    if (!(value instanceof Map) || !map.has(name)) return value
    if (isLast) map.delete(name)
    else map.set(name, changedValue(map.get(name), { ...change, path }))
    return map
  }
  return map.set(name, changedValue(map.get(name), { ...change, path } as JsonChange))
}

function ofJson(value: unknown): unknown {
  return plain(parseTree(JSON.stringify(value))!)
}

interface Splice {
  readonly at: number
  readonly length: number
  readonly text: string
}

/** The text after all of them; none overlaps another. Of two at one place the first comes first. */
function spliced(text: string, splices: readonly Splice[]): string {
  return splices
    .toReversed()
    .toSorted((left, right) => right.at - left.at)
    .reduce((edited, { at, length, text: put }) => edited.slice(0, at) + put + edited.slice(at + length), text)
}

/** Puts one more entry behind the others, and behind the comments beside them. */
function insertion(
  text: string,
  container: Node,
  entry: (indent: string, lines: boolean) => string,
): readonly Splice[] {
  const style = jsonStyle(text)
  const close = container.offset + container.length - 1
  const inside = text.slice(container.offset + 1, close)
  const { children = [] } = container
  const last = children.at(-1)
  const lines = /[\r\n]/.test(inside) || (container.parent === undefined && inside.trim() === '')
  const outer = readIndent(text, container.offset)
  const indent = last && startsLine(text, last.offset) ? readIndent(text, last.offset) : outer + style.unit
  const end = container.offset + 1 + inside.replace(/[ \t\r\n]*$/, '').length
  const comma: readonly Splice[] =
    last && commaBehind(text, last) === undefined ? [{ at: last.offset + last.length, length: 0, text: ',' }] : []
  if (lines) {
    const isOpen = /[\r\n]/.test(text.slice(end, close))
    const put = `${style.eol}${indent}${entry(indent, true)}${isOpen ? '' : style.eol + outer}`
    return [...comma, { at: end, length: isOpen ? 0 : close - end, text: put }]
  }
  const isFirst = inside.trim() === ''
  const padding = container.type === 'object' && isFirst ? ' ' : ''
  const put = `${isFirst ? padding : ' '}${entry(indent, false)}${padding}`
  return [...comma, { at: end, length: isFirst ? close - end : 0, text: put }]
}

/** Removes an entry with one comma, and its line where nothing else is on it. Comments stay. */
function removal(text: string, node: Node): readonly Splice[] {
  const end = node.offset + node.length
  const behind = commaBehind(text, node)
  if (behind !== undefined) {
    const isAlone = startsLine(text, node.offset) && text.slice(end, behind).trim() === ''
    const afterBlanks = behind + 1 + blanksAt(text, behind + 1)
    if (!isAlone) return [cut(node.offset, end), cut(behind, afterBlanks)]
    const rest = /^[ \t]*(?:\r\n|\n|\r)/.exec(text.slice(behind + 1))?.[0]
    if (rest !== undefined) return [cut(lineStart(text, node.offset), behind + 1 + rest.length)]
    return [cut(node.offset, afterBlanks)]
  }
  const siblings = node.parent?.children ?? []
  const before = siblings[siblings.indexOf(node) - 1]
  const comma = before === undefined ? undefined : commaBehind(text, before)
  const ends = /^[ \t]*(?:\r\n|\n|\r)/.exec(text.slice(end))?.[0]
  const isLine = startsLine(text, node.offset) && ends !== undefined
  // The break in front goes, so that the line behind keeps its own.
  const start = isLine ? lineStart(text, node.offset) : text.slice(0, node.offset).replace(/[ \t]*$/, '').length
  const isAfterComma = comma !== undefined && text.slice(comma + 1, start).trim() === ''
  const own = isLine
    ? cut(start, end + ends.length)
    : cut(comma !== undefined && isAfterComma ? Math.max(start, comma + 1) : node.offset, end)
  return comma === undefined ? [own] : [cut(comma, comma + 1), own]
}

function cut(from: number, to: number): Splice {
  return { at: from, length: to - from, text: '' }
}

/** The position of the comma of an entry, even behind comments. */
function commaBehind(text: string, node: Node): number | undefined {
  const between = /(?:[ \t\r\n]+|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y
  between.lastIndex = node.offset + node.length
  between.test(text)
  return text[between.lastIndex] === ',' ? between.lastIndex : undefined
}

function lineStart(text: string, at: number): number {
  return Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1
}

function startsLine(text: string, at: number): boolean {
  return /^[ \t]*$/.test(text.slice(lineStart(text, at), at))
}

function readIndent(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at)))![0]
}

function blanksAt(text: string, at: number): number {
  return /^[ \t]*/.exec(text.slice(at))![0].length
}

interface JsonStyle {
  /** The first line break of the text; `\n` where there is none. */
  readonly eol: '\n' | '\r\n' | '\r'
  readonly unit: string
}

function jsonStyle(text: string): JsonStyle {
  const eol = (/\r\n|\n|\r/.exec(text)?.[0] ?? '\n') as JsonStyle['eol']
  // The first indented key: a comment may be indented as it likes.
  const indent = /(?:^|[\r\n])([ \t]+)"/.exec(text)?.[1]
  return { eol, unit: indent?.startsWith('\t') ? '\t' : indent && indent.length <= 8 ? indent : '  ' }
}

/** A value as JSON. With `lines`, each key of an object has its own line, below `indent`; arrays are on one line. */
function writtenJson(
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
