import assert from 'node:assert/strict'
import test from 'node:test'
import { scriptedModel } from '../../src/testing.ts'
import { readAccess } from '../../src/tool.ts'
import { opened, tool } from './opened.ts'

const policy = (tools: object) => () => readAccess(JSON.stringify({ global: { mode: 'full' }, tools }), {})
const limited = tool(
  'limited',
  async (_input, { timeoutMs }) => ({ ok: true, output: `${timeoutMs} ${'x'.repeat(900)}` }),
  {
    timeoutMs: 7_000,
    maxShownChars: 500,
  },
)

for (const [what, tools, time, shown] of [
  ['nothing', {}, 7_000, 500],
  ['its own limits', { limited: { timeoutMs: 1_234, maxShownChars: 300 } }, 1_234, 300],
  ['limits of a pattern', { 'li*': { timeoutMs: 1_234 }, '*': { timeoutMs: 9, maxShownChars: 5_000 } }, 1_234, 5_000],
] as const) {
  test(`a tool of which the policy says ${what} runs and is shown within them`, async (t) => {
    const model = scriptedModel({
      answer: (_request, n) => (n === 1 ? { toolCalls: [{ name: 'limited', input: {} }] } : { text: 'So.' }),
    })
    const here = await opened(t, { model, tools: [limited], access: policy(tools) })
    const { session } = await here.say('Go.')
    const [end] = (await here.log(session)).flatMap((entry) => (entry.type === 'tool-end' ? [entry] : []))
    assert.match(end!.output, new RegExp(`^${time} x`))
    assert.equal(end!.stored !== undefined, shown < 900)
    if (shown < 900) assert.ok(end!.output.includes('x'.repeat(50)) && end!.output.length < shown + 300)
    if (shown === 500) assert.ok(end!.output.length > 480, `${end!.output.length} characters of 500`)
  })
}

test('a tool is listed with the words and the input that a model reads of it', async (t) => {
  const inputSchema = { type: 'object', properties: { at: { type: 'string' } } }
  const look = { ...tool('look', async () => ({ ok: true, output: '' })), description: 'Looks around.', inputSchema }
  const { runtime, say } = await opened(t, { tools: [look] })
  const listed = (await runtime.tools()).find(({ name }) => name === 'look')
  const { calls } = await say('Go.')
  const offered = (await runtime.request(calls[0]!)).request.tools.find(({ name }) => name === 'look')
  assert.deepEqual(offered, { name: 'look', description: 'Looks around.', inputSchema })
  assert.deepEqual({ name: listed?.name, description: listed?.description, inputSchema: listed?.inputSchema }, offered)
})

test('what a person runs by hand is in the audit: the decision, the run, and what was refused', async (t) => {
  const one = tool('one', async () => ({ ok: true, output: 'ran' }))
  const here = await opened(t, {
    tools: [one, tool('off', async () => ({ ok: true, output: '' }))],
    access: policy({ off: { enabled: false } }),
  })
  const trial = await here.runtime.planTool('one', { a: 1 })
  assert.ok(trial.type === 'allowed')
  assert.deepEqual(await here.store.audit(), [], 'looking leaves nothing')
  await here.runtime.runTool('one', { a: 1 }, trial.digest)
  const refused = await here.runtime.runTool('off', {}, 'any')
  assert.equal(!refused.ok && refused.error, 'Tool disabled in config: off')
  const records = await here.store.audit()
  assert.deepEqual(
    records.map(({ kind, tool: name, decision, rule, reason, ok, digest }) => [
      kind,
      name,
      decision,
      rule,
      reason,
      ok,
      digest,
    ]),
    [
      ['decision', 'one', 'approved', 'run-by-hand', undefined, undefined, trial.digest],
      ['call', 'one', undefined, 'run-by-hand', undefined, true, trial.digest],
      ['decision', 'off', 'refused', 'tools.off.enabled', 'Tool disabled in config: off', undefined, undefined],
    ],
  )
})

test('a definition that was accepted is in the audit, one that was not is not', async (t) => {
  const digest = '0'.repeat(64)
  const far = {
    name: 'far',
    version: '1',
    withheld: () => [{ name: 'far__tide', accepted: undefined, offered: undefined, digest }],
    accept: async (_name: string, given: string) => given === digest,
  }
  const here = await opened(t, { plugins: [far] })
  assert.equal(await here.runtime.acceptTool('far__tide', 'another'), false)
  assert.deepEqual(await here.store.audit(), [])
  assert.equal(await here.runtime.acceptTool('far__tide', digest), true)
  const [record] = await here.store.audit()
  assert.deepEqual(
    [record?.kind, record?.tool, record?.digest, record?.rule],
    ['change', 'far__tide', digest, 'definition-accepted'],
  )
})
