import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { createModels, type Models } from '../../src/model.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { opened } from './opened.ts'
import { systemClock } from '../../src/platform.ts'

const server = await scriptedProvider({ answer: () => ({ text: 'ok' }) })
after(() => server.close())

const OFFICIAL = 'https://api.openai.com'

/** What leaves for OpenAI's own address arrives at the scripted server. */
function modelsOf(entry: object = {}): Models {
  return createModels({
    clock: systemClock,
    known,
    environment: { OPENAI_API_KEY: 'sk-test-0123456789abcdef' },
    fetch: (input, init) => fetch(new Request(input, init).url.replace(OFFICIAL, server.url), init),
    providers: { openai: { kind: 'openai', ...entry } },
  })
}

const elsewhere = { baseURL: `${server.url}/v1`, apiKeyEnv: 'OPENAI_API_KEY' }
const bodies = (from: number) => server.requests.slice(from).map(({ body }) => body)
const MARK = { mode: 'explicit' }

test('a cache is asked to live for a day only where the configuration says so, and only of models that take it', async (t) => {
  for (const [name, entry, retention, lifetimeSeconds] of [
    ['gpt-5.4', {}, undefined, 300],
    ['gpt-5.4', { cacheRetention: 'memory' }, undefined, 300],
    ['gpt-5.4', { cacheRetention: '24h' }, '24h', 86_400],
    ['gpt-5.4', { cacheRetention: '24h', api: 'chat' }, '24h', 86_400],
    ['gpt-5-mini', { cacheRetention: '24h' }, undefined, 300],
    ['gpt-5.6', { cacheRetention: '24h' }, undefined, 1800],
  ] as const) {
    const models = modelsOf(entry)
    const at = await opened(t, { models, settings: { model: `openai/${name}` } })
    const from = server.requests.length
    const { session } = await at.say('Hello')
    assert.deepEqual([name, bodies(from)[0]?.['prompt_cache_retention']], [name, retention])
    const { facts } = await models.model(`openai/${name}`)
    assert.equal(facts.cache?.lifetimeSeconds, lifetimeSeconds)
    const { different, wires } = await at.runtime.replay(session)
    assert.deepEqual([different, wires?.different], [[], []])
  }
})

test('a call is built again as it left, after the setting has changed', async (t) => {
  const settings = { model: 'openai/gpt-5.4' }
  const { store, say } = await opened(t, { models: modelsOf({ cacheRetention: '24h' }), settings })
  const { session } = await say('Hello')
  const later = await opened(t, { models: modelsOf(), settings, around: () => store })
  const { different, wires } = await later.runtime.replay(session)
  assert.deepEqual([different, wires?.different, wires?.identical], [[], [], 1])
})

for (const api of ['responses', 'chat'] as const) {
  test(`${api}: from GPT-5.6 on the head and the settled messages are marked, the newest message is left to OpenAI`, async (t) => {
    const at = await opened(t, { models: modelsOf({ api }), settings: { model: 'openai/gpt-6.1-sol' } })
    const from = server.requests.length
    const { session } = await at.say('one')
    for (const text of ['two', 'three']) await at.say(text, { session })
    const [, second, third] = bodies(from).map(marks)
    assert.deepEqual(
      [second, third],
      [
        ['system', 'one'],
        ['system', 'one', 'two'],
      ],
    )
    const { different, wires } = await at.runtime.replay(session)
    assert.deepEqual([different, wires?.different], [[], []])
  })
}

test('marks are not sent to older models, and not to other addresses', async (t) => {
  for (const [name, entry] of [
    ['gpt-5.4', {}],
    ['gpt-6.1-sol', elsewhere],
  ] as const) {
    const at = await opened(t, { models: modelsOf(entry), settings: { model: `openai/${name}` } })
    const from = server.requests.length
    const { session } = await at.say('one')
    await at.say('two', { session })
    assert.deepEqual(bodies(from).flatMap(marks), [])
    assert.equal(JSON.stringify(bodies(from)).includes('prompt_cache_breakpoint'), false)
  }
})

interface WireMessage {
  readonly role?: string
  readonly content?: string | readonly { readonly text?: string; readonly prompt_cache_breakpoint?: unknown }[]
}

/** The marked messages: the text of what the person said, and the role of others. */
function marks(body: Readonly<Record<string, unknown>>): readonly string[] {
  return ((body['messages'] ?? body['input']) as readonly WireMessage[]).flatMap(({ role = '', content = [] }) => {
    const last = typeof content === 'string' ? undefined : content.at(-1)
    if (last?.prompt_cache_breakpoint === undefined) return []
    assert.deepEqual(last.prompt_cache_breakpoint, MARK)
    return [role === 'user' ? (last.text ?? '') : role === 'developer' ? 'system' : role]
  })
}
