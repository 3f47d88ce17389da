import assert from 'node:assert/strict'
import test from 'node:test'
import { schemaFault } from '../../tool.ts'
import { correctedSchema } from './corrected-schema.ts'

const q = { q: { type: 'string' } }
const field = (rules: unknown) => ({ type: 'object', properties: { a: rules } })
const empty = { type: 'object', properties: {} }

for (const [given, right] of [
  [undefined, empty],
  [null, empty],
  [{}, { type: 'object' }],
  [{ $schema: 'http://json-schema.org/draft-07/schema#' }, { type: 'object' }],
  [
    { properties: q, required: ['q'] },
    { type: 'object', properties: q, required: ['q'] },
  ],
  [
    { type: null, properties: q, required: null, description: null },
    { type: 'object', properties: q },
  ],
  [
    { type: ['object', 'null'], properties: q },
    { type: 'object', properties: q },
  ],
  [{ type: 'Object', properties: [] }, empty],
  [field({ type: 'number', minimum: 0, exclusiveMinimum: true }), field({ type: 'number', exclusiveMinimum: 0 })],
  [field({ type: 'number', maximum: 9, exclusiveMaximum: false }), field({ type: 'number', maximum: 9 })],
  [field({ type: 'string', required: true }), { ...field({ type: 'string' }), required: ['a'] }],
  [field({ type: 'any' }), field({})],
  [field({ type: 'int' }), field({ type: 'integer' })],
  [field({ type: 'string', pattern: '^(?i)abc$' }), field({ type: 'string' })],
  [field({ type: 'string', pattern: '^a$', default: null }), field({ type: 'string', pattern: '^a$', default: null })],
  [field({ enum: ['a', 'a', null] }), field({ enum: ['a', null] })],
  [field({ enum: [] }), field({})],
  [
    field({ type: 'array', items: [{ type: 'string' }], additionalItems: false }),
    field({ type: 'array', prefixItems: [{ type: 'string' }], items: false }),
  ],
  [field({ anyOf: [{ type: 'string' }, null] }), field({ anyOf: [{ type: 'string' }, {}] })],
  [field(null), empty],
  [{ type: 'string' }, undefined],
  ['a', undefined],
] as const) {
  test(`a schema is read as what it must mean: ${JSON.stringify(given)}`, async () => {
    const schema = correctedSchema(given)
    assert.deepEqual(schema, right)
    if (schema) assert.equal(await schemaFault(schema, 'the MCP server s'), undefined)
  })
}
