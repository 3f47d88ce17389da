import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { scriptedModel } from '../../src/testing.ts'
import { readAccess, type Tool } from '../../src/tool.ts'
import { opened } from './opened.ts'

/** A turn whose first call allows the tool `second`, at a provider that caches prompts of 1,024 tokens and more. */
async function offered(t: TestContext, promptTokens: number | undefined) {
  let allowedTools = ['first']
  const tool = (name: string): Tool => ({
    name,
    inputSchema: { type: 'object' },
    async execute() {
      allowedTools = ['first', 'second']
      return { ok: true, output: 'done' }
    },
  })
  const steps: (readonly string[])[] = []
  const cache = { kind: 'automatic', minimumTokens: 1024, lifetimeSeconds: 300 } as const
  const model = scriptedModel({
    facts: { cache },
    answer: ({ tools }, call) => {
      steps.push(tools.map(({ name }) => name).filter((name) => name === 'first' || name === 'second'))
      const usage = promptTokens === undefined ? {} : { usage: { promptTokens } }
      return call === 1 ? { toolCalls: [{ name: 'first', input: {} }], ...usage } : { text: 'Done.', ...usage }
    },
  })
  const access = () => readAccess(JSON.stringify({ global: { allowedTools } }), {})
  const here = await opened(t, { model, tools: [tool('first'), tool('second')], access })
  const { session } = await here.say('Begin.')
  const { calls, identical } = await here.runtime.replay(session)
  assert.equal(identical, calls)
  return steps
}

test('a tool that is allowed while a turn runs is offered from its next step where the cache has nothing of the prompt', async (t) => {
  assert.deepEqual(await offered(t, 1000), [['first'], ['first', 'second']])
})

test('where the cache has the prompt, or its size is not known, the list of tools stays as it is', async (t) => {
  assert.deepEqual(await offered(t, 1024), [['first'], ['first']])
  assert.deepEqual(await offered(t, undefined), [['first'], ['first']])
})
