import assert from 'node:assert/strict'
import test from 'node:test'
import { anything, array, assert as always, constantFrom, dictionary, oneof, property, string } from 'fast-check'
import { enclosedJson, jsonParts, jsonText, LONG_TEXT, sha256, sha256OfJson } from '../platform.ts'

const long = oneof(
  constantFrom('😀"\\\n\u2028', '\ud800', 'a', '東京').map((part) => part.repeat(LONG_TEXT)),
  string({ unit: 'binary' }).map((part) => `${part}${'x'.repeat(LONG_TEXT - 1)}😀${part}`),
)
const withLong = oneof(long, array(oneof(long, anything())), dictionary(string(), oneof(long, anything())))

test('the parts of the JSON of any value are its JSON, and so are its text and its digest', () => {
  always(
    property(oneof(withLong, anything()), (value) => {
      let json: string | undefined
      try {
        json = JSON.stringify(value) as string | undefined
      } catch {
        return
      }
      if (json === undefined) return
      assert.equal([...jsonParts(value)].join(''), json)
      assert.equal(jsonText(value), json)
      assert.equal(sha256OfJson(value), sha256(json))
    }),
    { numRuns: 60 },
  )
})

test('no part of a long text is longer than its escapes make it, and a value without one is one text', () => {
  const value = { text: 'a\n'.repeat(1_000_000), more: ['"'.repeat(LONG_TEXT + 1), { short: 'b' }] }
  const parts = [...jsonParts(value)]
  assert.ok(Math.max(...parts.map(({ length }) => length)) <= 2 * LONG_TEXT)
  assert.ok(parts.length > value.text.length / LONG_TEXT)
  assert.equal(enclosedJson('<', { short: 'b' }, '>'), '<{"short":"b"}>')
  assert.equal(Array.from(enclosedJson('<', value, '>')).join(''), `<${JSON.stringify(value)}>`)
})
