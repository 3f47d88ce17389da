import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { priceOfModel } from '../../src/context.ts'
import { createModels, type ModelConfiguration, type ModelsSettings } from '../../src/model.ts'
import { systemClock } from '../../src/platform.ts'

/** What calls of a model cost, US dollars for a million tokens of the prompt, where it is served at an address. */
async function inputPrice(
  baseURL: string,
  { kind = 'openai-compatible', name = 'm', own }: { kind?: string; name?: string; own?: ModelConfiguration } = {},
): Promise<number | undefined> {
  const models = createModels({
    clock: systemClock,
    known,
    fetch: async () => Response.json({ data: [{ id: name, max_model_len: 32_768 }] }),
    providers: { here: { kind, baseURL } },
    ...(own && { models: { [`here/${name}`]: own } }),
  })
  const { facts } = await models.model(`here/${name}`)
  const listed = (await models.list()).find(({ id }) => id === `here/${name}`)
  if (listed?.facts) assert.deepEqual(priceOfModel(listed.facts), priceOfModel(facts), 'the list says the same')
  return priceOfModel(facts)?.input
}

test("a model at an address of one's own machine or network is free", async () => {
  for (const host of [
    'localhost:8080',
    '127.0.0.1:1234',
    '[::1]:8080',
    '10.2.3.4',
    '172.20.0.2:8000',
    '192.168.1.5:8000',
    '100.101.102.103',
    '[fd12::1]',
    'vllm:8000',
    'workstation.local',
    'host.docker.internal:8000',
  ])
    assert.equal(await inputPrice(`http://${host}/v1`), 0, host)
  assert.equal(await inputPrice('http://127.0.0.1:11434', { kind: 'ollama' }), 0)
})

test('elsewhere its price is not known, and neither is that of a model of Ollama in the cloud', async () => {
  for (const host of ['models.example', '203.0.113.9', '172.32.0.1', '[2001:db8::1]'])
    assert.equal(await inputPrice(`https://${host}/v1`), undefined, host)
  assert.equal(await inputPrice('http://127.0.0.1:11434', { kind: 'ollama', name: 'big:cloud' }), undefined)
})

test('a price counts before the address: from the configuration or the catalog', async () => {
  const address = 'http://127.0.0.1:4000/v1'
  assert.equal(await inputPrice(address, { own: { price: { input: 2, output: 4 } } }), 2)
  assert.equal(await inputPrice(address, { own: { free: false } }), undefined)
  assert.ok((await inputPrice(address, { kind: 'openai', name: 'gpt-5.5' }))! > 0)
})

test('a provider that moves to another address is asked again: its window and its price are those of the new server', async () => {
  const windows: Readonly<Record<string, number>> = { '127.0.0.1:4000': 1_000, 'models.example': 200_000 }
  let providers: ModelsSettings['providers'] = {
    here: { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:4000/v1' },
  }
  const models = createModels({
    clock: systemClock,
    known,
    fetch: async (input) =>
      Response.json({ data: [{ id: 'm', max_model_len: windows[new URL(new Request(input).url).host] }] }),
    get providers() {
      return providers
    },
  })
  const before = (await models.model('here/m')).facts
  assert.deepEqual([before.window, before.free], [1_000, true])
  providers = { here: { kind: 'openai-compatible', baseURL: 'https://models.example/v1' } }
  const after = (await models.model('here/m')).facts
  assert.deepEqual([after.window, after.free], [200_000, undefined])
  assert.equal(models.knownFacts('here/m')?.window, 200_000)
})
