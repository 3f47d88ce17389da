import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { ToolAccess } from './access.ts'
import { accessShape, type Field, type ObjectField } from './access-shape.ts'

/** What `tool-access.json` says, or everything that is wrong with it, each with its line. */
export interface AccessText {
  /** Only what was written; of the shape of `accessShape` where there are no problems. */
  readonly value: WrittenAccess
  readonly problems: readonly string[]
}

/** Objects have no prototype: a tool may be named `constructor`. */
export interface WrittenAccess {
  readonly global?: Readonly<Record<string, unknown>>
  readonly tools?: Readonly<Record<string, ToolAccess & Readonly<Record<string, unknown>>>>
}

/** More are not told at once: nobody would read them. */
const MOST_PROBLEMS = 50

/** Reads the text of `tool-access.json`, comments and all. A blank one says nothing. Never throws. */
export function parseAccess(text: string): AccessText {
  try {
    return parsed(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    // A thousand brackets in a row are more than any reader of trees can follow.
    const why = error instanceof RangeError ? 'it is nested too deeply' : String(error)
    return { value: {}, problems: [`it cannot be read: ${why}`] }
  }
}

function parsed(text: string): AccessText {
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const lineOf = (offset: number) => `line ${text.slice(0, offset).split('\n').length}`
  const [error] = errors
  if (error) {
    const why = printParseErrorCode(error.error)
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase()
    return { value: {}, problems: [`${lineOf(error.offset)}: this is not JSON: ${why}`] }
  }
  if (!tree) return { value: {}, problems: [] }
  const problems: string[] = []
  const value = read(tree, accessShape, [], (node, problem) => {
    if (problems.length < MOST_PROBLEMS) problems.push(`${lineOf(node.offset)}: ${problem}`)
  })
  return { value: problems.length === 0 ? (value as WrittenAccess) : {}, problems }
}

type Report = (at: Node, problem: string) => void

function read(node: Node, field: Field, path: readonly string[], report: Report): unknown {
  if (field.kind === 'object') return readObject(node, field, path, report)
  const value: unknown = getNodeValue(node)
  const name = path.join('.')
  const fault = faultOf(value, field)
  if (fault !== undefined) report(node, `${name} ${fault}`)
  else if (field.kind === 'words') {
    node.children?.forEach((item, index) => {
      const wrong = faultOfWord(item.value, field)
      if (wrong !== undefined) report(item, `${name}[${index}] ${wrong}`)
    })
  }
  return value
}

function readObject(node: Node, field: ObjectField, path: readonly string[], report: Report): unknown {
  const name = path.join('.')
  if (node.type !== 'object') {
    report(node, name === '' ? 'the file must hold an object' : `${name} must be an object`)
    return {}
  }
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const { children: [key, inner] = [] } of node.children ?? []) {
    if (!key || !inner) continue
    const own = String(key.value)
    if (isComment(own)) continue
    const known = Object.hasOwn(field.fields, own) ? field.fields[own] : field.others
    const place = [...path, own]
    const fault = known && Object.hasOwn(field.fields, own) ? undefined : faultOfName(own, field)
    if (fault !== undefined) report(key, `${place.join('.')} ${fault}`)
    if (own in values) report(key, `${place.join('.')} stands here a second time: only one of the two can count`)
    else if (!known)
      report(key, `${place.join('.')} is not a key (known here: ${Object.keys(field.fields).join(', ')})`)
    values[own] = known ? read(inner, known, place, report) : undefined
  }
  return values
}

/** A key that begins with `_` is a comment, whatever stands under it (BEHAVIOURS §2.3). */
function isComment(key: string): boolean {
  return key.startsWith('_')
}

function faultOfName(name: string, { names }: ObjectField): string | undefined {
  return names && !new RegExp(names.source, 'u').test(name) ? names.fault : undefined
}

/** What is wrong with a value, behind its name. Never the value itself. */
export function faultOf(value: unknown, field: Exclude<Field, ObjectField>): string | undefined {
  switch (field.kind) {
    case 'switch':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'choice':
      return field.of.includes(value as string) ? undefined : `must be one of ${field.of.join(', ')}`
    case 'count':
      return Number.isSafeInteger(value) && (value as number) > 0 ? undefined : 'must be a whole number above 0'
    case 'words':
      return Array.isArray(value) ? undefined : 'must be a list'
    case 'text':
      return typeof value === 'string' ? undefined : 'must be a text'
  }
}

/** A blank one would stand for everything. */
function faultOfWord(word: unknown, field: Extract<Field, { kind: 'words' }>): string | undefined {
  if (typeof word !== 'string') return 'must be a text'
  if (word.trim() === '') return 'must not be blank'
  const { pattern } = field
  return pattern && !new RegExp(pattern.source, 'u').test(word) ? pattern.fault : undefined
}
