import assert from 'node:assert/strict'
import test from 'node:test'
import { systemClock } from '../../platform.ts'
import { readOffered } from './definition.ts'

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
