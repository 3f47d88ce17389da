import assert from 'node:assert/strict'
import test from 'node:test'
import { editJson, type JsonChange } from './edit-json.ts'

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
  test(`${what}: ${JSON.stringify(before)}`, () => assert.equal(editJson(before, [wanted]), after))
}

test('a text that would not mean the change afterwards is refused', () => {
  assert.throws(() => editJson('{"a": 1, "a": 2}', [set(['a'], 3)]), /could not be changed at a without/)
})

test('a text that is not JSON is refused', () => {
  assert.throws(() => editJson('{"a": ', [set(['a'], 1)]), /not JSON/)
})

function set(path: readonly string[], value: unknown): JsonChange {
  return { type: 'set', path, value }
}

function remove(path: readonly (string | number)[]): JsonChange {
  return { type: 'remove', path: [...path] }
}
