import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { type Node, parse, type ParseError, parseTree } from 'jsonc-parser'
import { editedJson, type JsonChange } from './edit-json.ts'

const key = fc.constantFrom('a', 'b', 'read_*', 'x "y"', '__proto__', '')
const scalar = fc.oneof(
  fc.boolean(),
  fc.integer(),
  fc.constant(null),
  fc.constantFrom('a', 'mail', '// no', '/*', 'é😀'),
)

type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly entries: readonly (readonly [string, Json])[] }

const { value: json } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(key, tie('value')), { maxLength: 4, selector: ([name]) => name })
      .map((entries) => ({ entries })),
  ),
}))

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

/** A value as somebody may have written it: any blanks, comments and commas at the end. */
function writtenBy(value: Json, gaps: Iterator<string>, commas: Iterator<boolean>): string {
  const next = () => gaps.next().value as string
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const items = Array.isArray(value)
    ? value.map((item) => writtenBy(item as Json, gaps, commas))
    : (value as { entries: readonly (readonly [string, Json])[] }).entries.map(
        ([name, inner]) => `${JSON.stringify(name)}${next()}:${next()}${writtenBy(inner, gaps, commas)}`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const inner = items.map((item) => next() + item + next()).join(',')
  const comma = items.length > 0 && commas.next().value ? `,${next()}` : ''
  return `${open}${inner === '' ? next() : inner}${comma}${close}`
}

const text = fc
  .record({
    value: json.filter((value): value is Extract<Json, { entries: unknown }> => isObject(value)),
    gaps: fc.infiniteStream(gap),
    commas: fc.infiniteStream(fc.boolean()),
    before: gap,
    after: gap,
    eol: fc.constantFrom('\n', '\r\n', '\r'),
    mark: fc.constantFrom('', '\uFEFF'),
  })
  .map(({ value, gaps, commas, before, after, eol, mark }) => {
    const written = before + writtenBy(value, gaps, commas) + after
    return { value, text: mark + written.replaceAll('\n', eol), eol, mark }
  })

const names = fc.array(key, { minLength: 1, maxLength: 3 })
const change: fc.Arbitrary<JsonChange> = fc.oneof(
  fc.record({
    type: fc.constant('set'),
    path: names,
    value: fc.constantFrom<unknown>(true, 'mail', ['x'], { y: [1] }),
  }),
  fc.record({ type: fc.constant('append'), path: names, value: scalar }),
  fc.record({
    type: fc.constant('remove'),
    path: fc
      .tuple(names, fc.option(fc.nat(4), { nil: undefined }))
      .map(([path, index]) => (index === undefined ? path : [...path, index])),
  }),
) as fc.Arbitrary<JsonChange>

test('whatever the shape, the comments and the order, a change says what it means and nothing else', () => {
  fc.assert(
    fc.property(text, change, (given, wanted) => {
      let after: string
      try {
        after = editedJson(given.text, [wanted])
      } catch (error) {
        // A value may stand in the way of a path; it is then named, and nothing was written.
        assert.match((error as Error).message, / is not (?:an object|a list)$/)
        return
      }
      const errors: ParseError[] = []
      parse(after.slice(given.mark.length), errors, { allowTrailingComma: true })
      assert.deepEqual(errors, [])
      assert.ok(after.startsWith(given.mark))
      // Comments stay, each as it was, in their order.
      assert.deepEqual(commentsOf(after), commentsOf(given.text, targetOf(given.text, wanted)))
      if (given.eol !== '\n' && /[\r\n]/.test(given.text)) {
        assert.deepEqual(after.match(/\r\n|\n|\r/g)?.filter((eol) => eol !== given.eol) ?? [], [])
      }
    }),
    { numRuns: 3_000 },
  )
})

for (const [what, before, wanted, after] of [
  ['a new key on a line of its own', '{\n  "a": 1 // one\n}\n', set(['b'], 2), '{\n  "a": 1, // one\n  "b": 2\n}\n'],
  ['tabs stay tabs', '{\n\t"a": 1\n}\n', set(['b', 'c'], 2), '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 2\n\t}\n}\n'],
  ['one line stays one line', '{"a": [1, 2]}', { type: 'append', path: ['a'], value: 3 }, '{"a": [1, 2, 3]}'],
  ['the last of a list on one line', '{"a": ["x", "y"]}', remove(['a', 1]), '{"a": ["x"]}'],
  ['the only one of a list', '{"a": ["x"]}', remove(['a', 0]), '{"a": []}'],
  ['the first of a list', '{"a": ["x", "y"]}', remove(['a', 0]), '{"a": ["y"]}'],
  ['a line goes as a whole', '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}', remove(['b']), '{\n  "a": 1,\n  "c": 3\n}'],
  ['the last line goes as a whole', '{\n  "a": 1,\n  "b": 2\n}', remove(['b']), '{\n  "a": 1\n}'],
  ['a comment stays', '{"a": [1, /* x */ 2 /* y */]}', remove(['a', 1]), '{"a": [1 /* x */  /* y */]}'],
  ['Windows lines stay', '{\r\n  "a": 1\r\n}\r\n', set(['b'], 2), '{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n'],
  ['nothing at all becomes an object', '', set(['a'], ['x']), '{\n  "a": ["x"]\n}\n'],
  ['comments alone stay in front', '// mine', set(['a'], 1), '// mine\n{\n  "a": 1\n}\n'],
  ['what is not there is not taken out', '{"a": 1}', remove(['b', 'c']), '{"a": 1}'],
] as const) {
  test(`${what}: ${JSON.stringify(before)}`, () => assert.equal(editedJson(before, [wanted]), after))
}

test('a text that is not JSON is refused', () => {
  assert.throws(() => editedJson('{"a": ', [set(['a'], 1)]), /not JSON/)
})

function set(path: readonly string[], value: unknown): JsonChange {
  return { type: 'set', path, value }
}

function remove(path: readonly (string | number)[]): JsonChange {
  return { type: 'remove', path: [...path] }
}

function isObject(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface Stretch {
  readonly from: number
  readonly to: number
}

/** What a change replaces or takes out: comments within it go along. */
function targetOf(whole: string, { type, path }: JsonChange): Stretch | undefined {
  if (type === 'append') return undefined
  const mark = whole.startsWith('\uFEFF') ? 1 : 0
  let at: Node | undefined = parseTree(whole.slice(mark), [], { allowTrailingComma: true })
  for (const segment of path) {
    const children: readonly Node[] = at?.children ?? []
    if (typeof segment === 'number') at = at?.type === 'array' ? children[segment] : undefined
    else if (at?.type !== 'object') at = undefined
    else at = children.find((each) => each.children?.[0]?.value === segment)?.children?.[1]
  }
  const node = type === 'remove' && at?.parent?.type === 'property' ? at.parent : at
  return node && { from: mark + node.offset, to: mark + node.offset + node.length }
}

function commentsOf(whole: string, except: Stretch = { from: 0, to: 0 }): readonly string[] {
  const found = whole.matchAll(/"(?:[^"\\]|\\.)*"|\/\/[^\r\n]*|\/\*[^]*?\*\//g)
  return [...found]
    .filter(({ 0: piece, index }) => !piece.startsWith('"') && !(index >= except.from && index < except.to))
    .map(([piece]) => piece)
}
