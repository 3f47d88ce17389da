import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { type Node, parse, type ParseError, parseTree } from 'jsonc-parser'
import {
  accessAnswer,
  editJson,
  isListed,
  type JsonChange,
  readAccess,
  matchesToolName,
  withTool,
} from '../src/tool.ts'
import { forAll, forAllTried } from './arbitrary/for-all.ts'
import { commentsOf, type Json, jsonTexts, otherBreaks } from './arbitrary/json-text.ts'

const key = fc.constantFrom('a', 'b', 'read_*', 'x "y"', '__proto__', '')
const scalar = fc.oneof(
  fc.boolean(),
  fc.integer(),
  fc.constant(null),
  fc.constantFrom('a', 'mail', '// no', '/*', 'é😀'),
)
const { value: json } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    objectOf(tie('value')),
  ),
}))
const names = fc.array(key, { minLength: 1, maxLength: 3 })
const changes: fc.Arbitrary<JsonChange> = fc.oneof(
  fc.record({
    type: fc.constant('set' as const),
    path: names,
    value: fc.constantFrom<unknown>(true, 'mail', ['x'], { y: [1] }),
  }),
  fc.record({ type: fc.constant('append' as const), path: names, value: scalar }),
  fc.record({
    type: fc.constant('remove' as const),
    path: fc
      .tuple(names, fc.option(fc.nat(4), { nil: undefined }))
      .map(([path, index]) => (index === undefined ? path : [...path, index])),
  }),
)

test('whatever the shape, the comments and the order of a file, a change says what it means and nothing else', () => {
  let made = 0
  const law = ([given, wanted]: [{ text: string; eol: string; mark: string }, JsonChange]) => {
    let after: string
    try {
      after = editJson(given.text, [wanted])
    } catch (error) {
      // A value may stand in the way of a path; it is then named, and nothing was written.
      assert.match((error as Error).message, / is not (?:an object|a list)$/)
      return
    }
    if (after !== given.text) made += 1
    assert.ok(after.startsWith(given.mark))
    const errors: ParseError[] = []
    parse(after.slice(given.mark.length), errors, { allowTrailingComma: true })
    assert.deepEqual(errors, [])
    assert.deepEqual(commentsOf(after), commentsOf(given.text, targetOf(given.text, wanted)))
    if (/[\r\n]/.test(given.text)) assert.deepEqual(otherBreaks(after, given.eol), [])
  }
  forAllTried({ tried: () => made, least: 1_000 }, fc.tuple(jsonTexts(objectOf(json)), changes), law, 3_000)
})

/** Tools that there are, and what people write for them. */
const tools = ['read_file', 'read_result', 'read_', 'readme', 'web', 'shell', 'files__read', '_hidden']
const words = fc.constantFrom(...tools, 'read_*', 'read_f*', 'r*', 'files__*', 'sh*', '_*', '*')
const policies = jsonTexts(
  objectFrom([
    ['_help', fc.constantFrom<Json>('for people', ['x'], new Map([['enabled', 7]]))],
    [
      'global',
      objectFrom([
        ['enabled', fc.constant(true)],
        ['mode', fc.constantFrom('allowlist', 'full')],
        ['allowedTools', fc.array(words, { maxLength: 4 })],
        ['_', fc.constant(1)],
      ]),
    ],
    [
      'tools',
      fc
        .tuple(
          fc.uniqueArray(fc.tuple(words, toolSaid()), { maxLength: 4, selector: ([name]) => name }),
          fc.option(
            objectFrom([
              ['enabled', fc.boolean()],
              ['mode', fc.constantFrom('off', 'allowlist')],
            ]),
          ),
        )
        .map(([said, shell]): Json => {
          const others = said.filter(([name]) => name !== 'shell')
          return new Map<string, Json>([...others, ...(shell === null ? [] : [['shell', shell] as const])])
        }),
    ],
  ]),
)

test('whatever a policy says, what is denied is refused, and nothing else is answered otherwise than before', () => {
  forAll(
    fc.tuple(policies, words),
    ([{ text, mark }, word]) => {
      const after = changed(text, word, false)
      if (after === undefined) return
      assert.deepEqual(commentsOf(after), commentsOf(text))
      assert.ok(after.startsWith(mark))
      for (const name of tools) {
        for (const readsContext of [false, !name.startsWith('_')]) {
          const answer = answerOf(after, name, readsContext)
          if (matchesToolName(word, name)) assert.equal(answer.type, 'refuse', `${name}: ${after}`)
          else assert.deepEqual(answer, answerOf(text, name, readsContext), `${name}: ${after}`)
        }
      }
      assert.equal(withTool(after, word, false), after)
    },
    2_000,
  )
})

test('whatever a policy says, what is allowed by its name may run, and nothing else is answered otherwise than before', () => {
  forAll(
    fc.tuple(policies, words),
    ([{ text }, word]) => {
      const after = changed(text, word, true)
      if (after === undefined) return
      assert.deepEqual(commentsOf(after), commentsOf(text))
      for (const name of tools) {
        const answer = answerOf(after, name, false)
        if (!matchesToolName(word, name)) assert.deepEqual(answer, answerOf(text, name, false), `${name}: ${after}`)
        else if (answer.type === 'refuse') {
          // A pattern leaves alone what a more exact name says, and never switches the shell on.
          const exact = /^tools\.(.*)\.(?:enabled|mode)$/.exec(answer.rule)?.[1]
          assert.ok(
            exact !== undefined && exact !== word && isListed([word], exact),
            `${name}: ${answer.rule}: ${after}`,
          )
        }
      }
      assert.equal(withTool(after, word, true), after)
    },
    2_000,
  )
})

/** `undefined` where the name cannot be written, which is said. */
function changed(text: string, word: string, allowed: boolean): string | undefined {
  try {
    return withTool(text, word, allowed)
  } catch (error) {
    assert.match((error as Error).message, /keys that begin with _ are comments/)
    assert.ok(word.startsWith('_'))
    return undefined
  }
}

function answerOf(text: string, name: string, readsContext: boolean) {
  return accessAnswer(readAccess(text, {}), { name, readsContext })
}

function toolSaid(): fc.Arbitrary<Json> {
  return objectFrom([
    ['enabled', fc.boolean()],
    ['approval', fc.constantFrom('ask', 'never')],
    ['_note', fc.constant('why')],
  ])
}

/** Some of these keys, in any order. */
function objectFrom(fields: readonly (readonly [string, fc.Arbitrary<Json>])[]): fc.Arbitrary<Json> {
  return fc
    .tuple(fc.shuffledSubarray(fields.map(([name]) => name)), fc.tuple(...fields.map(([, value]) => value)))
    .map(([order, values]): Json => {
      const all = new Map(fields.map(([name], index) => [name, values[index]!]))
      return new Map(order.map((name) => [name, all.get(name)!]))
    })
}

function objectOf(values: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc
    .uniqueArray(fc.tuple(key, values), { maxLength: 4, selector: ([name]) => name })
    .map((entries): Json => new Map(entries))
}

/** What a change replaces or takes out: comments within it go along. */
function targetOf(
  whole: string,
  { type, path }: JsonChange,
): { readonly from: number; readonly to: number } | undefined {
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
