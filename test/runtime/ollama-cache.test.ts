import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { createModels } from '../../src/model.ts'
import { scriptedProvider } from '../../src/testing.ts'
import { opened } from './opened.ts'
import { systemClock } from '../../src/platform.ts'

/** A runtime that calls Ollama. */
async function served(t: TestContext, entry: object = {}, environment: Readonly<Record<string, string>> = {}) {
  const server = await scriptedProvider()
  t.after(() => server.close())
  const modelsOf = (own: object) =>
    createModels({
      clock: systemClock,
      known,
      environment,
      providers: { ollama: { kind: 'ollama', baseURL: server.url, ...own } },
    })
  const at = await opened(t, { models: modelsOf(entry), settings: { model: 'ollama/scripted' } })
  return { ...at, server, modelsOf }
}

test('Ollama keeps a model loaded for half an hour, or as long as the configuration says', async (t) => {
  for (const [entry, environment, asked, lifetimeSeconds] of [
    [{}, {}, 1800, 1800],
    [{ keepAlive: '2h' }, { OLLAMA_KEEP_ALIVE: '10m' }, 7200, 7200],
    [{}, { OLLAMA_KEEP_ALIVE: '10m' }, 600, 600],
    [{ keepAlive: 'forever' }, {}, -1, 31_536_000],
    [{ keepAlive: 'server' }, {}, undefined, 300],
  ] as const) {
    const { say, server, modelsOf } = await served(t, entry, environment)
    await say('Hello')
    assert.deepEqual([entry, server.requests[0]!.body['keep_alive']], [entry, asked])
    const { facts } = await modelsOf(entry).model('ollama/scripted')
    assert.equal(facts.cache?.lifetimeSeconds, lifetimeSeconds)
  }
})

test('a duration that is none is refused by its name', async (t) => {
  const { modelsOf } = await served(t)
  const asked = modelsOf({ keepAlive: 'soon' }).model('ollama/scripted')
  await assert.rejects(asked, /providers\.ollama\.keepAlive cannot be used/)
})

test('a call is built again as it left, after the setting has changed', async (t) => {
  const { say, store, modelsOf } = await served(t)
  const { session } = await say('Hello')
  const models = modelsOf({ keepAlive: '2h' })
  const later = await opened(t, { models, settings: { model: 'ollama/scripted' }, around: () => store })
  const { different, wires } = await later.runtime.replay(session)
  assert.deepEqual([different, wires?.different, wires?.identical], [[], [], 1])
})

test('every call of a session asks for the same window', async (t) => {
  const { say, server } = await served(t)
  const { session } = await say('Hello')
  await say('A longer question. '.repeat(200), { session })
  await say('And on', { session })
  const windows = server.requests.map(({ body }) => JSON.stringify(body['options']).match(/"num_ctx":\d+/)?.[0])
  assert.deepEqual(new Set(windows), new Set(['"num_ctx":16384']))
})
