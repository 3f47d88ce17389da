import assert from 'node:assert/strict'
import test from 'node:test'
import { z } from 'zod'
import { tool } from './define-tool.ts'
import { createToolbox } from './toolbox.ts'
import type { Tool } from './tool.ts'
import { systemClock } from '../platform.ts'

const { signal } = new AbortController()
const context = { clock: systemClock, session: 's1', turn: 't1', signal }

const tide = tool({
  name: 'tide',
  description: 'The height of the tide.',
  schema: z.object({ hour: z.number().min(0).max(24).describe('Of the day.'), unit: z.enum(['m', 'ft']).default('m') }),
  idempotent: true,
  execute: ({ hour, unit }) => `${hour.toFixed(1)} ${unit}`,
})

function run(given: Tool, input: unknown) {
  return createToolbox([given]).run({ toolCallId: 'c1', toolName: given.name, input }, context)
}

test('the model gets the JSON Schema of the input, and everything else of a tool stays unchanged', () => {
  const { execute, plan, ...fields } = tide
  assert.equal(typeof execute, 'function')
  assert.equal(plan, undefined)
  assert.deepEqual(fields, {
    name: 'tide',
    description: 'The height of the tide.',
    idempotent: true,
    inputSchema: {
      type: 'object',
      properties: {
        hour: { type: 'number', minimum: 0, maximum: 24, description: 'Of the day.' },
        unit: { type: 'string', enum: ['m', 'ft'], default: 'm' },
      },
      required: ['hour'],
    },
  })
})

test('what is executed has the parsed input, with defaults and transforms', async () => {
  assert.deepEqual(await run(tide, { hour: 4 }), { ok: true, output: '4.0 m' })
  const trimmed = tool({
    name: 'shout',
    schema: z.object({ text: z.string().transform((text) => text.trim()) }),
    execute: async ({ text }) => ({ ok: true, output: text.toUpperCase(), meta: { characters: text.length } }),
  })
  assert.deepEqual(await run(trimmed, { text: ' hoy ' }), { ok: true, output: 'HOY', meta: { characters: 3 } })
})

test('a tool without a schema accepts no input', async () => {
  const bell = tool({ name: 'bell', execute: () => 'Rung.' })
  assert.deepEqual(bell.inputSchema, { type: 'object', properties: {}, additionalProperties: false })
  assert.deepEqual(await run(bell, {}), { ok: true, output: 'Rung.' })
  const refused = await run(bell, { loud: true })
  assert.deepEqual(refused.meta, { failure: 'invalid-input' })
})

test('input that the schema refuses is a failed result, with its fields, also where JSON Schema has no word for the rule', async () => {
  const even = tool({
    name: 'even',
    schema: z.object({ pair: z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') }) }),
    execute: ({ pair }) => String(pair.n),
  })
  assert.deepEqual(await run(even, { pair: { n: 3 } }), {
    ok: false,
    error: 'invalid input for even: pair.n: must be even',
    meta: { failure: 'invalid-input' },
  })
  assert.deepEqual(await run(even, { pair: { n: 'two' } }), {
    ok: false,
    error: 'invalid input for even: pair.n must be a number, not a string',
    meta: { failure: 'invalid-input' },
  })
})

test('what is thrown is a failed result, before and after a wait', async () => {
  const thrown = tool({
    name: 'thrown',
    execute() {
      throw new Error('the gauge is under water')
    },
  })
  const rejected = tool({ name: 'rejected', execute: () => Promise.reject(new Error('the gauge is gone')) })
  assert.deepEqual(await run(thrown, {}), {
    ok: false,
    error: 'the gauge is under water',
    meta: { failure: 'exception' },
  })
  assert.deepEqual(await run(rejected, {}), { ok: false, error: 'the gauge is gone', meta: { failure: 'exception' } })
})

test('a planned tool says what it would do, and does it when it is run', async () => {
  const done: string[] = []
  const moor = tool({
    name: 'moor',
    approval: 'ask',
    schema: z.object({ berth: z.int() }),
    plan: ({ berth }) =>
      berth > 9
        ? { ok: false, error: 'there are nine berths' }
        : {
            facts: { berth },
            run() {
              done.push(`berth ${berth}`)
              return 'Moored.'
            },
          },
  })
  const box = createToolbox([moor])
  const planned = await box.plan({ toolCallId: 'c1', toolName: 'moor', input: { berth: 4 } }, context)
  assert.deepEqual([planned.type, planned.type !== 'refused' && planned.call.facts], ['allowed', { berth: 4 }])
  assert.deepEqual(done, [])
  assert.deepEqual(planned.type !== 'refused' && (await planned.run()), { ok: true, output: 'Moored.' })
  assert.deepEqual(done, ['berth 4'])
  assert.deepEqual(await run(moor, { berth: 10 }), { ok: false, error: 'there are nine berths' })
})

test('any schema that speaks the two standards will do', async () => {
  const schema = {
    '~standard': {
      version: 1,
      vendor: 'own',
      types: undefined as { input: unknown; output: { readonly depth: number } } | undefined,
      validate: async (value: unknown) => ({ value: value as { readonly depth: number } }),
      jsonSchema: { input: () => ({ type: 'object', properties: { depth: { type: 'number' } } }) },
    },
  } as const
  const sound = tool({ name: 'sound', schema, execute: ({ depth }) => `${depth * 2} fathoms` })
  assert.deepEqual(await run(sound, { depth: 3 }), { ok: true, output: '6 fathoms' })
})

test('a schema without JSON Schema is rejected when the tool is created', () => {
  assert.throws(() => tool({ name: 'list', schema: z.array(z.string()), execute: () => '' }), {
    name: 'TypeError',
    message: 'The schema of the tool list must be one of an object.',
  })
  assert.throws(() => tool({ name: 'when', schema: z.object({ time: z.date() }), execute: () => '' }), /tool when/)
})

/** What only has to compile, or must not. */
export function inferred() {
  const schema = z.object({ hour: z.number(), unit: z.string().optional() })
  tool({ name: 'typed', schema, execute: (input: { hour: number; unit?: string | undefined }) => input.unit ?? '' })
  tool({ name: 'planned', schema, plan: ({ hour }) => ({ argv: ['tide', hour.toFixed()], run: () => 'done' }) })
  // @ts-expect-error -- the schema has no such field
  tool({ name: 'other', schema, execute: ({ minute }) => String(minute) })
  // @ts-expect-error -- a number is no answer
  tool({ name: 'number', schema, execute: ({ hour }) => hour })
  // @ts-expect-error -- it either plans or executes
  tool({ name: 'both', schema, execute: () => '', plan: () => ({ run: () => '' }) })
  // @ts-expect-error -- nothing is given to a tool without a schema
  tool({ name: 'none', execute: ({ hour }: { hour: number }) => hour.toFixed() })
}
