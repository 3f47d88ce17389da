import assert from 'node:assert/strict'
import test from 'node:test'
import { call, context, errorOf, readFile } from '../../test/tool/calls.ts'
import { callDigest } from './call-plan.ts'
import type { PlannedCall, PlannedTool, Tool, ToolPlan, ToolResult } from './tool.ts'
import { createToolbox, type GateAnswer } from './toolbox.ts'

test('a plan shows what would run, and nothing runs before execute', async () => {
  const ran: string[] = []
  const box = createToolbox([listing(['ls', '-l'], ran)])
  const planned = await box.plan(call('list', { path: 'a' }), context)
  assert.equal(planned.type, 'allowed')
  assert.deepEqual(runnable(planned).call, {
    tool: 'list',
    input: { path: 'a' },
    argv: ['ls', '-l'],
    folder: '/workspace',
  })
  assert.match(runnable(planned).digest, /^[0-9a-f]{64}$/)
  assert.deepEqual(ran, [])
  assert.deepEqual(await runnable(planned).run(), { ok: true, output: 'ls -l' })
  assert.deepEqual(ran, ['ls -l'])
})

test('a tool without a plan is described by its input', async () => {
  const planned = await createToolbox([readFile]).plan(call('read_file', { path: 'a' }), context)
  assert.deepEqual(runnable(planned).call, { tool: 'read_file', input: { path: 'a' } })
  assert.deepEqual(await runnable(planned).run(), { ok: true, output: 'read a' })
})

test('a digest changes with everything that is shown, and not with the order of keys', async () => {
  const digestOf = async (shown: Omit<ToolPlan, 'run'>, input: unknown = {}) => {
    const planned = await createToolbox([planning(async () => ({ ...shown, run: done }))]).plan(
      call('planning', input),
      context,
    )
    return runnable(planned).digest
  }
  const same = await digestOf({ facts: { one: 1, two: { a: 1, b: 2 } } }, { x: 1, y: 2 })
  assert.equal(await digestOf({ facts: { two: { b: 2, a: 1 }, one: 1 } }, { y: 2, x: 1 }), same)
  const digests = await Promise.all([
    digestOf({}),
    digestOf({}, { x: 1 }),
    digestOf({ argv: ['ls'] }),
    digestOf({ argv: ['ls', '-l'] }),
    digestOf({ argv: ['ls -l'] }),
    digestOf({ argv: ['-l', 'ls'] }),
    digestOf({ command: 'ls' }),
    digestOf({ argv: ['ls'], folder: '/a' }),
    digestOf({ argv: ['ls'], folder: '/b' }),
    digestOf({ diff: '-a\n+b' }),
    digestOf({ diff: '-a\n+c' }),
    digestOf({ facts: { digest: 'a' } }),
    digestOf({ facts: { digest: 'b' } }),
  ])
  assert.equal(new Set(digests).size, digests.length)
})

test('what a plan carries besides is neither shown nor part of its digest', async () => {
  const secret = { argv: ['ls'], secret: 'hidden', run: done } as ToolPlan
  const plain = { argv: ['ls'], run: done }
  const [first, second] = await Promise.all(
    [secret, plain].map((made) => createToolbox([planning(async () => made)]).plan(call('planning', {}), context)),
  )
  assert.deepEqual(runnable(first!).call, { tool: 'planning', input: {}, argv: ['ls'] })
  assert.equal(runnable(first!).digest, runnable(second!).digest)
})

test('where a person would have to be asked, a plan can wait for the answer and a run is refused', async () => {
  const ran: string[] = []
  const box = createToolbox([listing(['ls'], ran)], { gate: answering({ type: 'ask', rule: 'tools.list.approval' }) })
  assert.deepEqual(await box.run(call('list', {}), context), {
    ok: false,
    error: 'a person has to approve each call of list, and nobody can be asked here',
    meta: { failure: 'refused' },
  })
  assert.deepEqual(ran, [])
  const planned = await box.plan(call('list', {}), context)
  assert.deepEqual([planned.type, planned.rule], ['ask', 'tools.list.approval'])
  assert.deepEqual(await runnable(planned).run(), { ok: true, output: 'ls' })
})

for (const [what, plan, error] of [
  ['throws', () => Promise.reject(new Error('no such folder')), 'no such folder'],
  ['throws at once', throwing, 'at once'],
  ['takes too long', () => new Promise<never>(() => {}), 'timed out after 20 ms'],
  ['fails', async () => ({ ok: false, error: 'the text was not found' }) as const, 'the text was not found'],
  ['is none', async () => undefined as unknown as ToolPlan, 'the tool answered with something that is no result'],
  [
    'is an answer',
    async () => ({ ok: true, output: 'x' }) as unknown as ToolPlan,
    'planning answered instead of making a plan',
  ],
  ['is no JSON', async () => ({ facts: { size: 5n }, run: done }), /BigInt/],
] as const) {
  test(`a plan that ${what} is a failed result`, async () => {
    const box = createToolbox([planning(plan)])
    const planned = await box.plan(call('planning', {}), context)
    assert.deepEqual([planned.type, planned.rule], ['refused', 'plan'])
    const result = await box.run(call('planning', {}), context)
    if (typeof error === 'string') assert.equal(errorOf(result), error)
    else assert.match(errorOf(result), error)
  })
}

test('a plan that can no longer be carried out is a failed result', async () => {
  const box = createToolbox([planning(async () => ({ argv: ['ls'], run: throwing }))])
  assert.deepEqual(await box.run(call('planning', {}), context), {
    ok: false,
    error: 'at once',
    meta: { failure: 'exception' },
  })
})

test('the schema is asked first, then the policy, and only then the tool', async () => {
  const asked: string[] = []
  const refusing: GateAnswer = { type: 'refuse', rule: 'global.enabled', reason: 'Tools are disabled (enabled=false).' }
  const box = (answer: GateAnswer) =>
    createToolbox(
      [
        {
          ...planning(async () => {
            asked.push('plan')
            return { run: done }
          }),
          inputSchema: { type: 'object', required: ['path'] },
        },
      ],
      {
        gate: async () => {
          asked.push('policy')
          return answer
        },
      },
    )
  const bad = await box(refusing).plan(call('planning', {}), context)
  assert.deepEqual([bad.type, bad.rule, asked], ['refused', 'input-schema', []])
  const refused = await box(refusing).plan(call('planning', { path: 'a' }), context)
  assert.deepEqual(refused, {
    type: 'refused',
    rule: 'global.enabled',
    result: { ok: false, error: 'Tools are disabled (enabled=false).', meta: { failure: 'refused' } },
    call: { tool: 'planning', input: { path: 'a' } },
  })
  assert.deepEqual(asked, ['policy'])
  await box({ type: 'allow', rule: 'global.mode' }).plan(call('planning', { path: 'a' }), context)
  assert.deepEqual(asked, ['policy', 'policy', 'plan'])
})

test('an unknown tool is refused before anything is asked', async () => {
  const planned = await createToolbox([], { gate: throwing }).plan(call('nothing', {}), context)
  assert.deepEqual([planned.type, planned.rule], ['refused', 'unknown-tool'])
})

test('a digest is one of what is shown: two moments are two calls', async () => {
  const until = (ms: number) => ({ tool: 'lend', input: {}, facts: { until: new Date(ms) } })
  assert.notEqual(callDigest(until(1)), callDigest(until(2)))
  assert.equal(callDigest(until(1)), callDigest(JSON.parse(JSON.stringify(until(1)))))
})

function runnable(planned: PlannedCall): Exclude<PlannedCall, { type: 'refused' }> {
  assert.notEqual(planned.type, 'refused')
  return planned as Exclude<PlannedCall, { type: 'refused' }>
}

function listing(argv: readonly string[], ran: string[]): Tool {
  return {
    name: 'list',
    inputSchema: { type: 'object' },
    plan: async () => ({
      argv,
      folder: '/workspace',
      run: async () => {
        ran.push(argv.join(' '))
        return { ok: true, output: argv.join(' ') }
      },
    }),
  }
}

function planning(plan: PlannedTool['plan']): Tool {
  return { name: 'planning', timeoutMs: 20, inputSchema: { type: 'object' }, plan }
}

function answering(answer: GateAnswer): () => Promise<GateAnswer> {
  return async () => answer
}

async function done(): Promise<ToolResult> {
  return { ok: true, output: 'done' }
}

function throwing(): never {
  throw new Error('at once')
}
