import assert from 'node:assert/strict'
import test from 'node:test'
import { systemClock } from '../../platform.ts'
import { schemaFault } from '../../tool.ts'
import { correctedSchema, readOffered } from './definition.ts'

test('of a server whose definitions are larger than a request should be the largest are left out by name', async () => {
  const tool = (name: string, characters: number) => ({
    name,
    inputSchema: { type: 'object', properties: { text: { type: 'string', description: 'x'.repeat(characters) } } },
  })
  const large = Array.from({ length: 12 }, (_, at) => tool(`large-${at}`, 60_000 - at))
  const small = [tool('a', 10), tool('z', 10)]
  const tools = [small[0]!, ...large, small[1]!]
  const { offered, faults } = await readOffered(systemClock, { tools, isAll: true }, 's')
  assert.deepEqual(
    offered.map(({ definition }) => definition.name),
    ['a', 'large-10', 'large-11', ...[4, 5, 6, 7, 8, 9].map((at) => `large-${at}`), 'z'],
  )
  assert.deepEqual(faults, [
    'offers definitions of more than 524288 bytes together; the largest are left out: "large-0", "large-1", "large-2", "large-3"',
  ])
})

test('a tool whose schema names headers that no parameter can have is left out, where calls have headers', async () => {
  const tool = (name: string, properties: object) => ({ name, inputSchema: { type: 'object', properties } })
  const text = (header: unknown) => ({ type: 'string', 'x-mcp-header': header })
  const tools = [
    tool('blank', { a: text('') }),
    tool('nested', { a: { type: 'array', items: text('A') } }),
    tool('number', { a: { type: 'number', 'x-mcp-header': 'A' } }),
    tool('space', { a: text('A b') }),
    tool('twice', { a: text('Region'), b: text('region') }),
    tool('usable', {
      'x-mcp-header': { type: 'string' },
      a: text('Region'),
      b: { type: 'object', properties: { c: text('Zone') } },
    }),
  ]
  const names = async (usesHeaders: boolean) => {
    const { offered, faults } = await readOffered(systemClock, { tools, isAll: true, usesHeaders }, 's')
    return { names: offered.map(({ definition }) => definition.name), faults }
  }
  const { names: kept, faults } = await names(true)
  assert.deepEqual(kept, ['usable'])
  assert.deepEqual(faults.slice(-2), [
    'offers the tool "space" with a header that no parameter can have: "A b"; it is left out',
    'offers the tool "twice" with two parameters for the header region; it is left out',
  ])
  assert.equal((await names(false)).names.length, 6)
})

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
