import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { forAllTried } from '../../../test/arbitrary/for-all.ts'
import { isPlainSchema, isSmallInput } from './input-fault.ts'
import { compileSchema } from './schema-check.ts'

/** Schemas from the rules of JSON Schema, those that are dear among them, and inputs that such schemas look at. */
const names = fc.constantFrom('a', 'b', 'c', 'x')
const schemas = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom({}, { type: 'string', minLength: 1 }, { type: ['object', 'array'] }, { enum: [1, 'a', null] }),
    fc.record({ type: fc.constant('object'), properties: fc.dictionary(names, tie('schema')) }),
    fc.record({ required: fc.uniqueArray(names), additionalProperties: tie('schema') }, { requiredKeys: [] }),
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 6 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 6 }), items: tie('schema') }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 6 }) }),
    fc.record({ uniqueItems: fc.constant(true) }),
  ),
})).schema
const inputs = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom(1, 'a', null, true),
    fc.dictionary(names, tie('value')),
    fc.array(tie('value'), { maxLength: 8 }),
    fc.constant(Array.from({ length: 300 }, (_, a) => ({ a }))),
  ),
})).value

test('checking by a plain schema reads an input a limited number of times, whatever both of them are', async () => {
  const plain: { readonly schema: object; readonly input: unknown }[] = []
  const holds = ({ schema, input }: { schema: object; input: unknown }) => {
    if (isPlainSchema(schema)) plain.push({ schema, input })
  }
  forAllTried({ tried: () => plain.length, least: 50 }, fc.record({ schema: schemas, input: inputs }), holds, 500)
  for (const { schema, input } of plain) {
    const counted = countReads(input)
    ;(await compileSchema(schema as Readonly<Record<string, unknown>>))(counted.value)
    const limit = 20 * partsOf(schema) * partsOf(input)
    assert.ok(counted.reads() <= limit, `${counted.reads()} reads: ${JSON.stringify({ schema, input })}`)
  }
})

test('a rule that can take long, and a schema that is large, are not plain', () => {
  const leaf = { type: 'string' }
  const nested = (levels: number): object => (levels === 0 ? leaf : { items: nested(levels - 1) })
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, leaf]))
  for (const schema of [
    { pattern: 'a' },
    { properties: { a: { pattern: 'a' } } },
    { patternProperties: { a: leaf } },
    { propertyNames: leaf },
    { $ref: '#' },
    { $defs: { a: leaf } },
    { $id: 'a' },
    { $dynamicRef: '#a' },
    { allOf: [leaf] },
    { not: leaf },
    { if: leaf },
    { contains: leaf },
    { uniqueItems: true },
    { prefixItems: [leaf] },
    { items: [leaf] },
    { unevaluatedProperties: false },
    { enum: [{ a: 1 }] },
    { const: [1] },
    { anyOf: [{ anyOf: [leaf] }] },
    { anyOf: [{ properties: { a: leaf } }] },
    { oneOf: Array.from({ length: 9 }, () => leaf) },
    { enum: Array.from({ length: 101 }, (_, index) => index) },
    { properties: many(100) },
    nested(7),
    [],
    null,
  ]) {
    assert.equal(isPlainSchema(schema), false, JSON.stringify(schema).slice(0, 100))
  }
  assert.ok(isPlainSchema({ type: 'object', properties: many(90), required: ['p1'], additionalProperties: false }))
  assert.ok(isPlainSchema(nested(6)))
  assert.ok(isPlainSchema({ properties: { a: { anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] } } }))
})

test('an input with many values, long texts or many levels is not small', () => {
  assert.equal(isSmallInput(Array.from({ length: 2_000 }, () => 1)), false)
  assert.equal(isSmallInput(['a'.repeat(1_000_001)]), false)
  assert.equal(isSmallInput({ ['a'.repeat(1_000_001)]: 1 }), false)
  assert.equal(isSmallInput(JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)), false)
  assert.ok(isSmallInput({ a: ['a'.repeat(500_000), null, { b: 1.5 }], c: Array.from({ length: 1_000 }, () => true) }))
})

/** Lists and objects within a value, and their entries. */
function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, each) => sum + partsOf(each), 1)
}

function countReads(input: unknown) {
  let reads = 0
  const counting: ProxyHandler<object> = {
    get: (target, key) => (reads++, proxied(Reflect.get(target, key))),
    has: (target, key) => (reads++, Reflect.has(target, key)),
    ownKeys: (target) => (reads++, Reflect.ownKeys(target)),
    getOwnPropertyDescriptor: (target, key) => (reads++, Reflect.getOwnPropertyDescriptor(target, key)),
  }
  const proxied = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? new Proxy(value, counting) : value
  return { value: proxied(input), reads: () => reads }
}
