import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import test from 'node:test'
import { setImmediate as settled } from 'node:timers/promises'
import { call, context, errorOf, readFile, run, speaking } from '../../test/tool/calls.ts'
import type { DirectTool, Tool, ToolPlan, ToolResult, ToolProperties } from './tool.ts'
import { createToolbox, type RunContext } from './toolbox.ts'

test('a call with good input gets the answer of its tool', async () => {
  assert.deepEqual(await run([readFile], call('read_file', { path: 'a.txt' })), { ok: true, output: 'read a.txt' })
})

test('definitions keep the declared order and carry nothing that runs', () => {
  const box = createToolbox([readFile, speaking('b', 'B'), speaking('a', 'A')])
  assert.deepEqual(
    box.definitions.map(({ name }) => name),
    ['read_file', 'b', 'a'],
  )
  assert.deepEqual(Object.keys(box.definitions[0]!), ['name', 'description', 'inputSchema'])
})

test('of two tools with one name the later one replaces the earlier, and the toolbox reports it', async () => {
  const box = createToolbox([speaking('a', 'old'), speaking('b', 'B'), speaking('a', 'new')])
  assert.deepEqual(
    box.tools.map(({ name }) => name),
    ['a', 'b'],
  )
  assert.deepEqual(box.replaced, ['a'])
  assert.deepEqual(await box.run(call('a', {}), context), { ok: true, output: 'new' })
})

test('an unknown tool is a result that the model reads', async () => {
  for (const name of ['no_such', 'constructor', '__proto__']) {
    assert.deepEqual(await run([readFile], call(name, {})), {
      ok: false,
      error: `there is no tool named ${name}`,
      meta: { failure: 'unknown-tool' },
    })
  }
})

for (const [input, why] of [
  [{}, 'path is missing'],
  [{ path: 5 }, 'path must be a string, not a number'],
  [{ path: null }, 'path must be a string, not null'],
  [{ path: 'a', limit: 0 }, 'limit must be >= 1'],
  [{ path: 'a', encoding: 'latin1' }, 'encoding must be one of "utf8", "base64"'],
  [{ path: 'a', folder: 'b' }, 'there is no field folder (it has path, limit, encoding)'],
  [{ limit: 'ten' }, 'path is missing; limit must be an integer, not a string'],
] as const) {
  test(`input ${JSON.stringify(input)} is refused: ${why}`, async () => {
    const result = await run([readFile], call('read_file', input))
    assert.deepEqual(result, {
      ok: false,
      error: `invalid input for read_file: ${why}`,
      meta: { failure: 'invalid-input' },
    })
  })
}

for (const input of ['{"path": ', ['a'], null, undefined, 5]) {
  test(`input that is no object is refused in one sentence: ${JSON.stringify(input)}`, async () => {
    assert.deepEqual(await run([readFile], call('read_file', input)), {
      ok: false,
      error: 'arguments must be an object',
      meta: { failure: 'invalid-input' },
    })
  })
}

test('an input that breaks its schema is read where only one reading is possible, and refused where not', async () => {
  const text = { type: 'string' }
  const properties = {
    text,
    path: text,
    count: { type: 'integer', minimum: 0 },
    size: { type: ['number', 'null'] },
    flag: { type: 'boolean' },
    names: { type: 'array', items: text },
    numbers: { type: 'array', items: { type: 'integer' } },
    place: { $ref: '#/$defs/place' },
    places: { type: 'array', items: { $ref: '#/$defs/place' } },
    level: { enum: ['low', 'High'] },
    either: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
    both: { anyOf: [{ type: 'integer' }, { type: 'array', items: { type: 'integer' } }] },
    any: {},
  }
  const place = { type: 'object', properties: { line: { type: 'integer' }, name: text }, required: ['line'] }
  const schema = { type: 'object', properties, required: ['text'], additionalProperties: false, $defs: { place } }
  const seen: unknown[] = []
  const tool: Tool = {
    name: 'a',
    inputSchema: schema,
    execute: async (input) => ({ ok: true, output: JSON.stringify(input) }),
  }
  const box = createToolbox([tool], {
    gate: async ({ input }) => {
      seen.push(input)
      return { type: 'allow', rule: 'test' }
    },
  })
  const readings: readonly (readonly [object, object | undefined])[] = [
    [{ path: null, count: null, names: null, place: null, level: null }, {}],
    [
      { size: null, any: null },
      { size: null, any: null },
    ],
    [
      { count: '5', size: ' -1.5e3 ' },
      { count: 5, size: -1500 },
    ],
    [{ size: 'null', count: 'None', flag: '' }, { size: null }],
    [
      { flag: 'True', either: 'false' },
      { flag: true, either: false },
    ],
    [{ either: '7' }, { either: 7 }],
    [
      { names: '["a","b"]', place: '{"line":"3"}' },
      { names: ['a', 'b'], place: { line: 3 } },
    ],
    [
      { names: 'a', numbers: 4 },
      { names: ['a'], numbers: [4] },
    ],
    [{ numbers: '4' }, { numbers: [4] }],
    [{ numbers: ['1', 2] }, { numbers: [1, 2] }],
    [{ places: { line: '3', name: null } }, { places: [{ line: 3 }] }],
    [
      { path: ['a'], count: ['2'] },
      { path: 'a', count: 2 },
    ],
    [{ level: ' high' }, { level: 'High' }],
    [{ text: ['a'] }, {}],
    [{ text: null }, undefined],
    [{ count: '5 lines' }, undefined],
    [{ count: '1.5' }, undefined],
    [{ count: '-1' }, undefined],
    [{ count: '12345678901234567890' }, undefined],
    [{ count: true }, undefined],
    [{ flag: 1 }, undefined],
    [{ path: 5 }, undefined],
    [{ path: ['a', 'b'] }, undefined],
    [{ names: 'a, b' }, undefined],
    [{ names: '' }, undefined],
    [{ names: [null] }, undefined],
    [{ both: '5' }, undefined],
    [{ place: { name: 'a' } }, undefined],
    [{ count: null, other: null }, undefined],
  ]
  for (const [given, meant] of readings) {
    // oxlint-disable-next-line no-await-in-loop -- one after another reads better when it fails
    const result = await box.run(call('a', { text: 'a', ...given }), context)
    const right = meant && { text: 'a', ...meant }
    assert.deepEqual(result.ok ? JSON.parse(result.output) : undefined, right, JSON.stringify(given))
    // What may run is decided by what runs.
    if (right) assert.deepEqual(seen.at(-1), right)
  }
})

test('a schema of others that leads in circles ends', async () => {
  const circle = { anyOf: Array.from({ length: 8 }, () => ({ $ref: '#/$defs/a' })) }
  const inputSchema = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/a' }, b: { type: 'integer' } },
    $defs: { a: circle },
  }
  const tool: Tool = { ...speaking('a', 'done'), inputSchema }
  assert.match(errorOf(await run([tool], call('a', { a: { a: [{ a: '5' }] }, b: 'x' }))), /^invalid input for a/)
})

test('a tool says in its own words what is wrong, before its schema is asked', async () => {
  const tool: Tool = {
    ...readFile,
    inputError: ({ path }) => (path === undefined ? 'missing path' : undefined),
  }
  assert.equal(errorOf(await run([tool], call('read_file', {}))), 'missing path')
  assert.equal(
    errorOf(await run([tool], call('read_file', { path: 5 }))),
    'invalid input for read_file: path must be a string, not a number',
  )
  const failing: Tool = {
    ...readFile,
    inputError: () => {
      throw new Error('out of words')
    },
  }
  assert.equal(
    errorOf(await run([failing], call('read_file', { path: 'a' }))),
    'read_file could not examine its input: out of words',
  )
})

test('only the first of many faults are listed', async () => {
  const required = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const tool = { ...speaking('many', ''), inputSchema: { type: 'object', required } }
  const result = await run([tool], call('many', {}))
  assert.match(errorOf(result), /a is missing; .* e is missing; and 2 more$/)
})

test('a schema of an older draft is read as such, and one that cannot be used lets nothing through', async () => {
  const old = {
    ...speaking('old', 'ran'),
    inputSchema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false } },
    },
  }
  assert.deepEqual(await run([old], call('old', { pair: ['a', 1] })), { ok: true, output: 'ran' })
  assert.match(errorOf(await run([old], call('old', { pair: [1, 'a'] }))), /pair\.0 must be a string/)

  const broken = { ...speaking('broken', 'ran'), inputSchema: { $ref: '#/nowhere' } }
  assert.match(errorOf(await run([broken], call('broken', {}))), /its schema cannot be used/)
})

test('schemas with one $id do not disturb each other', async () => {
  const named = (name: string) => ({ ...speaking(name, name), inputSchema: { $id: 'same', type: 'object' } })
  const toolbox = createToolbox([named('a'), named('b')])
  const results = await Promise.all(['a', 'b'].map((name) => toolbox.run(call(name, {}), context)))
  assert.deepEqual(
    results.map(({ ok }) => ok),
    [true, true],
  )
})

test('an exception becomes its message, thrown early or late', async () => {
  const early: ToolProperties & DirectTool = {
    ...speaking('early', ''),
    execute: () => {
      throw new Error('the disk is on fire')
    },
  }
  const late: Tool = { ...early, name: 'late', execute: () => Promise.reject(new RangeError('')) }
  const odd: Tool = { ...early, name: 'odd', execute: () => Promise.reject('just a word') }
  assert.equal(errorOf(await run([early], call('early', {}))), 'the disk is on fire')
  assert.equal(errorOf(await run([late], call('late', {}))), 'RangeError')
  assert.equal(errorOf(await run([odd], call('odd', {}))), 'just a word')
})

test('an answer that is no result is a failure, not a crash', async () => {
  for (const answer of [undefined, 'text', { ok: true }, { ok: true, output: 5 }, { ok: false }]) {
    const tool = { ...speaking('odd', ''), execute: () => Promise.resolve(answer as unknown as ToolResult) }
    assert.equal(errorOf(await run([tool], call('odd', {}))), 'the tool answered with something that is no result')
  }
})

test('a tool that runs into its timeout is ended by its signal', async () => {
  let isAborted = false
  const slow: Tool = {
    ...speaking('slow', ''),
    timeoutMs: 20,
    execute: (_, { signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => (isAborted = true))
      }),
  }
  assert.deepEqual(await run([slow], call('slow', {})), {
    ok: false,
    error: 'timed out after 20 ms',
    meta: { failure: 'timeout' },
  })
  assert.equal(isAborted, true)
})

test('cancelling ends a run, and a cancelled turn starts none', async () => {
  const cancel = new AbortController()
  let runs = 0
  const waiting: Tool = {
    ...speaking('waiting', ''),
    execute: () => {
      runs++
      cancel.abort()
      return new Promise(() => {})
    },
  }
  const box = createToolbox([waiting])
  const cancelled = { ok: false, error: 'cancelled', meta: { failure: 'cancelled' } }
  assert.deepEqual(await box.run(call('waiting', {}), { ...context, signal: cancel.signal }), cancelled)
  assert.deepEqual(await box.run(call('waiting', {}), { ...context, signal: cancel.signal }), cancelled)
  assert.equal(runs, 1)
})

test('output beyond the cap ends with the account of what is missing', async () => {
  const box = createToolbox([speaking('long', 'x'.repeat(25))], { maxOutputChars: 10 })
  assert.deepEqual(await box.run(call('long', {}), context), {
    ok: true,
    output: `${'x'.repeat(10)}\n...[truncated: 10 of 25 characters shown]`,
    meta: { bytes: 25, truncated: true },
  })
  const pairs = createToolbox([speaking('long', '😀'.repeat(5))], { maxOutputChars: 3 })
  assert.deepEqual(await pairs.run(call('long', {}), context), {
    ok: true,
    output: '😀\n...[truncated: 2 of 10 characters shown]',
    meta: { bytes: 20, truncated: true },
  })
})

test('a failed result is capped as well, and keeps its output', async () => {
  const failing: Tool = {
    ...speaking('failing', ''),
    execute: async () => ({ ok: false, error: 'exit 1', output: 'y'.repeat(12) }),
  }
  assert.deepEqual(await createToolbox([failing], { maxOutputChars: 8 }).run(call('failing', {}), context), {
    ok: false,
    error: 'exit 1',
    output: `${'y'.repeat(8)}\n...[truncated: 8 of 12 characters shown]`,
    meta: { bytes: 18, truncated: true },
  })
})

test('calls run side by side and answer in the order they were made', async () => {
  const gate = Promise.withResolvers<void>()
  const first: Tool = {
    ...speaking('first', ''),
    execute: async () => {
      await gate.promise
      return { ok: true, output: 'first' }
    },
  }
  const second: Tool = {
    ...speaking('second', ''),
    execute: async () => {
      gate.resolve()
      return { ok: true, output: 'second' }
    },
  }
  const toolbox = createToolbox([first, second])
  const results = await Promise.all(['first', 'second'].map((name) => toolbox.run(call(name, {}), context)))
  assert.deepEqual(results, [
    { ok: true, output: 'first' },
    { ok: true, output: 'second' },
  ])
})

test('of one session no more programs run at once than there are processors, and another session does not wait', async () => {
  const most = Math.max(2, availableParallelism())
  const open = new Set<() => void>()
  const program: Tool = {
    name: 'program',
    inputSchema: { type: 'object' },
    plan: async () => ({
      argv: ['true'],
      run: async () => {
        await new Promise<void>((resolve) => open.add(resolve))
        return { ok: true, output: 'ran' }
      },
    }),
  }
  const box = createToolbox([program, speaking('other', 'said')])
  const leaving = new AbortController()
  const planned = (count: number, of: Partial<RunContext>) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const one = await box.plan(call('program', {}), { ...context, ...of })
        assert.ok(one.type === 'allowed')
        return one
      }),
    )
  const many = await planned(64, { session: 'many', signal: leaving.signal })
  const [elsewhere] = await planned(1, { session: 'another' })
  const runs = many.map((one) => one.run())
  await settled()
  assert.equal(open.size, most)
  assert.deepEqual(await box.run(call('other', {}), { ...context, session: 'many' }), { ok: true, output: 'said' })
  runs.push(elsewhere!.run())
  await settled()
  assert.equal(open.size, most + 1)
  for (let round = 0; round < 3; round++) {
    for (const end of open) end()
    open.clear()
    await settled()
    assert.equal(open.size, most)
  }
  leaving.abort()
  const results = await Promise.all(runs)
  assert.equal(results.filter(({ ok }) => ok).length, 3 * most + 1)
  // Those that waited have started nothing.
  assert.equal(open.size, most)
})

test('the gate is asked after the input was checked and before the tool runs', async () => {
  const asked: string[] = []
  let runs = 0
  const tool: Tool = {
    ...readFile,
    execute: async () => {
      runs++
      return { ok: true, output: '' }
    },
  }
  const box = createToolbox([tool], {
    gate: async ({ toolName }) => {
      asked.push(toolName)
      return { type: 'refuse', rule: 'global.allowedTools', reason: `Tool is not in allowlist: ${toolName}` }
    },
  })
  await box.run(call('read_file', {}), context)
  assert.deepEqual(asked, [])
  assert.deepEqual(await box.run(call('read_file', { path: 'a' }), context), {
    ok: false,
    error: 'Tool is not in allowlist: read_file',
    meta: { failure: 'refused' },
  })
  assert.deepEqual([asked, runs], [['read_file'], 0])
})

test('a plan that changes nothing is not asked about because of what was read, unless the policy asks about the tool', async () => {
  const read = [{ kind: 'file', ref: 'notes.md' }] as const
  const status = (plan: Pick<ToolPlan, 'afterUntrusted' | 'asks'>): Tool => ({
    ...readFile,
    execute: undefined,
    plan: async () => ({ ...plan, run: async () => ({ ok: true, output: 'clean' }) }),
  })
  const decided = async (plan: Pick<ToolPlan, 'afterUntrusted' | 'asks'>, byTool: boolean) => {
    const afterUntrusted = { type: 'ask', rule: 'after', byTool, grant: 'g' } as const
    const box = createToolbox([status(plan)], {
      gate: async () => ({ type: 'allow', rule: 'listed', read, afterUntrusted }),
    })
    const planned = await box.plan(call('read_file', { path: 'a.txt' }), context)
    return planned.type === 'refused' ? planned.type : [planned.type, planned.rule, planned.read]
  }
  assert.deepEqual(await decided({}, true), ['ask', 'after', read])
  assert.deepEqual(await decided({ afterUntrusted: 'allow' }, true), ['allowed', 'listed', read])
  assert.deepEqual(await decided({ afterUntrusted: 'allow' }, false), ['ask', 'after', read])
  assert.deepEqual(await decided({ afterUntrusted: 'allow', asks: true }, true), ['ask', 'plan', read])
})

test('a gate that fails has refused', async () => {
  const box = createToolbox([readFile], { gate: () => Promise.reject(new Error('the policy cannot be read')) })
  assert.match(errorOf(await box.run(call('read_file', { path: 'a' }), context)), /the policy cannot be read/)
})

test('what JSON cannot show is refused: an approval of null holds for no number, and no depth ends the process', async () => {
  const open: Tool = { ...speaking('open', 'ran'), inputSchema: { type: 'object' } }
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  assert.equal(
    errorOf(await run([open], call('open', JSON.parse('{"a":[1e999]}')))),
    'invalid input for open: it holds a number that is too large',
  )
  assert.equal(
    errorOf(await run([open], call('open', JSON.parse(deep)))),
    'invalid input for open: it is nested more than 128 levels deep',
  )
})

test('a schema that would take for ever lets nothing through, and holds nobody up', async () => {
  const backtracking = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
  const levels = Array.from({ length: 40 }, (_, level) => {
    const next = { $ref: `#/$defs/${level + 1}` }
    return [String(level), { allOf: [next, next] }]
  })
  const doubling = { $ref: '#/$defs/0', $defs: { ...Object.fromEntries(levels), 40: { type: 'object' } } }
  for (const inputSchema of [backtracking, doubling]) {
    const result = await run([{ ...speaking('slow', 'ran'), inputSchema }], call('slow', { a: `${'a'.repeat(60)}!` }))
    assert.match(
      errorOf(result),
      /^invalid input for slow: its schema cannot be used \(checking this input by a schema of the tool slow takes longer than 1000 ms\. Use another tool; /,
    )
  }
})
