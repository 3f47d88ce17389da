import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { createModels } from '../../src/model.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { opened } from './opened.ts'
import { systemClock } from '../../src/platform.ts'

const server = await scriptedProvider({ answer: () => ({ text: 'ok' }), models: [{ name: 'm' }] })
after(() => server.close())

const connection = { baseURL: server.url, apiKeyEnv: 'KEY' }
const models = createModels({
  clock: systemClock,
  known,
  environment: { KEY: 'sk-test-0123456789abcdef' },
  providers: {
    responses: { kind: 'openai', api: 'responses', ...connection },
    chat: { kind: 'openai', api: 'chat', ...connection },
    local: { kind: 'openai-compatible', ...connection },
  },
  models: { 'responses/m': { window: 16_000 }, 'chat/m': { window: 16_000 }, 'local/m': { window: 16_000 } },
})

const keys = (from: number) => server.requests.slice(from).map(({ body }) => body['prompt_cache_key'])

for (const provider of ['responses', 'chat'] as const) {
  test(`${provider}: the calls of a session have one prompt_cache_key, which is not its id, and are built again with it`, async (t) => {
    const at = await opened(t, { models, settings: { model: `${provider}/m` } })
    const from = server.requests.length
    const { session } = await at.say('Hello')
    await at.say('And now?', { session })
    const { session: other } = await at.say('Hello')
    const [first, second, third] = keys(from)
    assert.match(String(first), /^[0-9a-f]{32}$/)
    assert.equal(second, first)
    assert.notEqual(third, first)
    assert.ok(!String(first).includes(session))
    for (const each of [session, other]) {
      const { different, wires } = await at.runtime.replay(each)
      assert.deepEqual([different, wires?.different], [[], []])
    }
  })
}

test('a server with the same API is not sent what it may not know', async (t) => {
  const at = await opened(t, { models, settings: { model: 'local/m' } })
  const from = server.requests.length
  await at.say('Hello')
  assert.deepEqual(keys(from), [undefined])
})
