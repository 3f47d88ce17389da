import { isDeepStrictEqual } from 'node:util'
import { type JSONPath, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { indentOf, insertion, removal, type Splice, spliced } from './json-splice.ts'
import { jsonStyle, writtenJson } from './json-style.ts'

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
 * breaks, the order of keys. What comes out has been parsed again and says what the changes meant, and nothing else.
 *
 * @throws Error where the text is not JSON, or where a value stands in the way of a path
 */
export function editedJson(text: string, changes: readonly JsonChange[]): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  return mark + changes.reduce(editedOnce, text.slice(mark.length))
}

function editedOnce(text: string, change: JsonChange): string {
  const whole = parsedJson(text) ? text : withObject(text)
  const after = spliced(whole, splicesOf(whole, change))
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

/** An empty object behind the comments that stand alone. */
function withObject(text: string): string {
  const { eol } = jsonStyle(text)
  const comments = text.trimEnd()
  return comments === '' ? `{}${eol}` : `${comments}${eol}{}${eol}`
}

function splicesOf(text: string, change: JsonChange): readonly Splice[] {
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
  const indent = indentOf(text, at.offset)
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

/** What a tree says. Objects are maps, so that a key may be called `__proto__`. */
function plain(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plain)
  if (node.type !== 'object') return node.value
  const entries = (node.children ?? []).map(({ children: [key, value] = [] }): [string, unknown] => [
    String(key!.value),
    plain(value!),
  ])
  return new Map(entries)
}

/** The same change, of the value instead of the text. */
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
