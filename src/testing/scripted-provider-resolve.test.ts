import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { providers as known } from '../capabilities/providers.ts'
import { createModels, type ModelConfiguration, ModelError, type ModelsSettings } from '../model.ts'
import { scriptedProvider } from './scripted-provider.ts'
import { systemClock } from '../platform.ts'

const server = await scriptedProvider({
  models: [
    { name: 'plain:latest', capabilities: ['completion'], contextLength: 4096 },
    { name: 'able:8b', capabilities: ['completion', 'tools', 'vision', 'thinking'] },
    { name: 'tuned:8b', parameters: 'stop "<x>"\nnum_ctx 32768' },
    { name: 'quiet:1b', contextLength: null },
  ],
})
after(() => server.close())
const environment = { OLLAMA_HOST: server.url }

async function factsOf(id: string, settings: Partial<ModelsSettings> = {}) {
  return (await createModels({ clock: systemClock, known, environment, ...settings }).model(id)).facts
}

function failure(code: ModelError['code'], message: RegExp) {
  return (error: unknown) => error instanceof ModelError && error.code === code && message.test(error.message)
}

test('Ollama reports the abilities of its model, and the window stays small until it is configured', async () => {
  const able = await factsOf('ollama/able:8b')
  assert.deepEqual(able, {
    window: 16_384,
    maxOutput: 4096,
    tools: true,
    vision: true,
    reasoning: true,
    toolChoiceNone: false,
    source: 'provider',
    free: true,
    cache: {
      kind: 'automatic',
      minimumTokens: 0,
      lifetimeSeconds: 1800,
      answers: true,
      slots: true,
      keepAlive: 1800,
    },
    assumed: ['maxOutput'],
  })
  assert.equal((await factsOf('ollama/plain')).window, 4096)
  assert.equal((await factsOf('ollama/plain')).tools, false)
  assert.equal((await factsOf('ollama/tuned:8b')).window, 32_768)
  assert.equal(
    (await factsOf('ollama/able:8b', { environment: { ...environment, OLLAMA_CONTEXT_LENGTH: '65536' } })).window,
    65_536,
  )
})

test('an unknown window is 8,192 tokens and is marked as assumed', async () => {
  const { window, source } = await factsOf('ollama/quiet:1b')
  assert.deepEqual({ window, source }, { window: 8192, source: 'assumed' })
})

test('the configuration wins over the catalog and over the provider', async () => {
  const models = { 'ollama/able:8b': { window: 40_000, vision: false } }
  const { window, maxOutput, vision, tools, source } = await factsOf('ollama/able:8b', { models })
  assert.deepEqual(
    { window, maxOutput, vision, tools, source },
    {
      window: 40_000,
      maxOutput: 8192,
      vision: false,
      tools: true,
      source: 'configuration',
    },
  )
})

test('a configured window replaces the assumed one, and other unknown facts stay assumed', async () => {
  const providers = { local: { kind: 'openai-compatible' as const, baseURL: server.url } }
  const resolve = async (own: ModelConfiguration) => {
    const facts = await factsOf('local/nobody', { providers, models: { 'local/nobody': own } })
    return [facts.window, facts.maxOutput, facts.source, facts.assumed?.join(' ')]
  }
  const abilities = 'tools vision reasoning'
  assert.deepEqual(await resolve({}), [8192, 2048, 'assumed', `window maxOutput ${abilities}`])
  assert.deepEqual(await resolve({ window: 16_000 }), [16_000, 4000, 'configuration', `maxOutput ${abilities}`])
  assert.deepEqual(await resolve({ window: 32_768 }), [32_768, 8192, 'configuration', `maxOutput ${abilities}`])
  assert.deepEqual(await resolve({ window: 200_000 }), [200_000, 8192, 'configuration', `maxOutput ${abilities}`])
  assert.deepEqual(await resolve({ window: 4000, maxOutput: 500, tools: true, vision: false, reasoning: false }), [
    4000,
    500,
    'configuration',
    undefined,
  ])
  assert.deepEqual(await resolve({ maxOutput: 3000 }), [8192, 3000, 'assumed', `window ${abilities}`])
})

test('a known longest answer is never longer than the configured window', async () => {
  const settings = { environment: { ANTHROPIC_API_KEY: 'k' } }
  const models = { 'anthropic/claude-haiku-4-5': { window: 20_000 } }
  const { window, maxOutput, assumed } = await factsOf('anthropic/claude-haiku-4-5', { ...settings, models })
  assert.deepEqual([window, maxOutput, assumed], [20_000, 20_000, undefined])
})

test('a compatible server that lists its models reports their windows', async () => {
  const providers = { local: { kind: 'openai-compatible' as const, baseURL: server.url } }
  const { window, source } = await factsOf('local/able:8b', { providers })
  assert.deepEqual({ window, source }, { window: 131_072, source: 'provider' })
  assert.equal((await factsOf('local/nobody', { providers })).source, 'assumed')
})

test('a model of the catalog is found by its dated name too, with price, cache and date', async () => {
  const settings = { environment: { ANTHROPIC_API_KEY: 'k' } }
  const { window, price, cache, date } = await factsOf('anthropic/claude-haiku-4-5-20251001', settings)
  assert.equal(window, 200_000)
  assert.deepEqual(price, { input: 1, cachedInput: 0.1, cacheWrite: 1.25, cacheWriteLonger: 2, output: 5 })
  assert.equal(cache?.kind, 'marked')
  assert.match(date ?? '', /^\d{4}-\d{2}-\d{2}$/)
})

test('an unknown model or provider is an error that lists the known ones and explains how to add it', async () => {
  const models = createModels({ clock: systemClock, known, environment })
  await assert.rejects(
    models.model('mistral/large'),
    failure('model-not-found', /The providers are: ollama, openai, anthropic, rehearsal\..*openai-compatible/s),
  )
  await assert.rejects(
    models.model('ollama/able'),
    failure('model-not-found', /It has: plain:latest, able:8b.*ollama pull able/s),
  )
  await assert.rejects(models.model('ollama'), failure('model-not-found', /write ollama\/MODEL.*able:8b/s))
  await assert.rejects(models.model('openai/gpt-5.4'), failure('auth', /OPENAI_API_KEY/))
  const away = createModels({ clock: systemClock, known, environment: { OLLAMA_HOST: '127.0.0.1:1' } })
  await assert.rejects(away.model('ollama/x'), failure('network', /ollama serve/))
})

test('a provider with a bad address leaves the others alone', async () => {
  const models = createModels({
    clock: systemClock,
    known,
    environment,
    providers: { broken: { kind: 'openai-compatible' } },
  })
  await assert.rejects(models.model('broken/x'), failure('bad-request', /providers\.broken needs a baseURL/))
  assert.equal((await models.model('rehearsal')).id, 'rehearsal')
  assert.match((await models.list()).find(({ id }) => id === 'broken')?.why ?? '', /needs a baseURL/)
})

test('a key can be in a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-key-'))
  try {
    const apiKeyFile = join(folder, 'key')
    await writeFile(apiKeyFile, 'from-a-file\n')
    const providers = { local: { kind: 'openai' as const, baseURL: server.url, apiKeyFile } }
    const model = await createModels({ clock: systemClock, known, environment, providers }).model('local/able:8b')
    for await (const _ of model.call(
      { tools: [], messages: [{ role: 'user', content: 'hi' }] },
      { signal: new AbortController().signal },
    ));
    assert.equal(server.requests.at(-1)?.headers.authorization, 'Bearer from-a-file')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the list shows which models are ready, and why the others are not', async () => {
  const list = await createModels({
    clock: systemClock,
    known,
    environment: { ...environment, OPENAI_API_KEY: 'k' },
  }).list()
  assert.ok(list.some(({ id, ready }) => id === 'ollama/able:8b' && ready))
  assert.ok(list.some(({ id, ready, window }) => id === 'openai/gpt-6.1-sol' && ready && window === 1_050_000))
  assert.match(list.find(({ id }) => id === 'anthropic')?.why ?? '', /ANTHROPIC_API_KEY/)
  assert.equal(list.find(({ id }) => id === 'ollama/able:8b')?.facts?.source, 'provider')
  const { id, ready, window, facts } = list.at(-1)!
  assert.deepEqual([id, ready, window, facts?.tools], ['rehearsal', true, 128_000, true])
})

test('without a configured model, an Ollama model with tools comes first, then providers with keys, then the rehearsal', async () => {
  const keys = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }
  const here = await createModels({ clock: systemClock, known, environment: { ...environment, ...keys } }).choose()
  assert.equal(here.id, 'ollama/able:8b')
  assert.match(here.why, /can use tools/)
  assert.deepEqual(
    here.alternatives.slice(-3).map(({ id }) => id),
    ['anthropic/claude-sonnet-5-5', 'openai/gpt-6.1-sol', 'rehearsal'],
  )
  const nothing = await createModels({
    clock: systemClock,
    known,
    environment: { OLLAMA_HOST: '127.0.0.1:1' },
  }).choose()
  assert.equal(nothing.id, 'rehearsal')
  assert.match(nothing.why, /ANTHROPIC_API_KEY/)
  assert.deepEqual(nothing.alternatives, [])
})

test('servers that are configured for the Responses API get it, and all others get Chat Completions', async () => {
  const at = { kind: 'openai-compatible' as const, baseURL: server.url }
  const models = createModels({
    clock: systemClock,
    known,
    environment,
    providers: { new: { ...at, api: 'responses' }, old: at },
  })
  const signal = new AbortController().signal
  for (const [id, path] of [
    ['new/able:8b', '/v1/responses'],
    ['old/able:8b', '/v1/chat/completions'],
  ] as const) {
    const model = await models.model(id)
    for await (const _ of model.call({ tools: [], messages: [{ role: 'user', content: 'Hello' }] }, { signal }));
    assert.equal(server.requests.at(-1)?.path, path)
  }
})
