import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { createModels, ModelError, type Models } from '../../src/model.ts'
import type { CallInput } from '../../src/runtime/calls/call-input.ts'
import type { SealedManifest } from '../../src/runtime/calls/seal.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import type { ScriptedAnswer } from '../../src/testing/scripted-provider-answer.ts'
import { imageFiles } from '../document/files/image-file.ts'
import { type Opened, opened, tool } from './opened.ts'
import { systemClock } from '../../src/platform.ts'

let next: (n: number) => ScriptedAnswer = () => ({ text: 'ok' })
const server = await scriptedProvider({ answer: (_, n) => next(n), models: [{ name: 'scripted' }] })
after(() => server.close())

const providers = ['ollama', 'local', 'openai', 'responses', 'anthropic'] as const

function modelsThat(facts: object): Models {
  const key = { apiKeyEnv: 'KEY' } as const
  return createModels({
    clock: systemClock,
    known,
    environment: { KEY: 'sk-test-0123456789abcdef' },
    providers: {
      ollama: { kind: 'ollama', baseURL: server.url },
      local: { kind: 'openai-compatible', baseURL: server.url, ...key },
      openai: { kind: 'openai', baseURL: server.url, ...key },
      responses: { kind: 'openai', baseURL: server.url, api: 'responses', ...key },
      anthropic: { kind: 'anthropic', baseURL: server.url, ...key },
    },
    models: Object.fromEntries(providers.map((provider) => [`${provider}/scripted`, { window: 20_000, ...facts }])),
  })
}

async function picture({ runtime }: Opened): Promise<string> {
  const bytes = Readable.from([imageFiles['image/png']!(64, 48)])
  const { id } = await runtime.library.add({ name: 'cat.png', bytes, owner: { type: 'session', id: 'inbox' } })
  await runtime.library.settled(id)
  return id
}

const look = tool('look', async () => ({ ok: true, output: 'A cat.' }))

for (const provider of providers) {
  test(`${provider}: the body that left is made again byte for byte, with tools, images and reasoning, after a restart too`, async (t) => {
    const models = modelsThat({ vision: true, reasoning: true })
    const settings = { model: `${provider}/scripted`, reasoning: 'low' as const }
    const at = await opened(t, { models, tools: [look], settings })
    const from = server.requests.length
    const asks = (n: number) => ({
      reasoning: 'Hm.',
      signature: 'signed',
      toolCalls: [{ id: `c${n}`, name: 'look', input: { n } }],
    })
    next = (n) => ((n - from) % 2 === 1 ? asks(n) : { text: 'So be it.' })
    const { session } = await at.say('What is on it?', { attachments: [await picture(at)] })
    await at.say('And now?', { session })
    const now = await at.reopened()
    const { identical, wires } = await now.runtime.replay(session)
    assert.deepEqual([identical, wires], [4, { identical: 4, different: [], unknown: [] }])
    const sent = server.requests.slice(from).map(({ sha256 }) => sha256)
    for (const [index, { id, manifest, requestDigest }] of (await now.store.calls(session)).entries()) {
      const { wire } = await now.runtime.request(id)
      assert.deepEqual(wire, { state: 'identical', expected: sent[index], got: sent[index] })
      assert.equal((manifest as SealedManifest).requestDigest, requestDigest)
    }
    assert.equal(server.requests.length - from, 4, 'making a body again sends nothing')
  })
}

test('the body of the attempt that answered is the one on record', async (t) => {
  const from = server.requests.length
  next = (n) => (n - from < 3 ? { status: 503, body: { error: { message: 'overloaded' } } } : { text: 'ok' })
  const at = await opened(t, { models: modelsThat({}), settings: { model: 'local/scripted' } })
  const { calls, outcome } = await at.say('hello')
  assert.deepEqual([outcome, server.requests.length - from], [{ type: 'completed' }, 3])
  const record = (await at.store.call(calls[0]!)) ?? assert.fail()
  assert.equal(record.outcome?.wire?.sha256, server.requests.at(-1)!.sha256)
  assert.equal((await at.runtime.request(calls[0]!)).wire?.state, 'identical')
})

test('a body that differs today is reported, and so is an image that is gone', async (t) => {
  next = () => ({ text: 'ok' })
  const at = await opened(t, { models: modelsThat({ vision: true }), settings: { model: 'local/scripted' } })
  const image = await picture(at)
  const { session, calls } = await at.say('What is on it?', { attachments: [image] })
  const record = (await at.store.call(calls[0]!)) ?? assert.fail()
  const turn = { session, turn: record.turn! }
  const other = { ...(record.input as CallInput), options: { maxOutputTokens: 7, toolChoice: 'auto' } }
  await at.store.putCall({ ...record, ...turn, id: 'call_other', input: other })
  await at.store.finishCall('call_other', record.outcome!)

  const { different, wires, calls: count } = await at.runtime.replay(session)
  assert.deepEqual([different, count, wires?.identical, wires?.unknown], [[], 2, 1, []])
  assert.deepEqual(
    wires?.different.map(({ call }) => call),
    ['call_other'],
  )
  await at.runtime.library.remove(image)
  const gone = (await at.runtime.request(calls[0]!)).wire
  assert.match(gone?.state === 'unknown' ? gone.why : '', /an image that was sent no longer exists/)
})

test('a provider that cannot be reached is asked once about all the bodies of a replay', async (t) => {
  next = () => ({ text: 'ok' })
  const settings = { model: 'local/scripted' }
  const before = await opened(t, { models: modelsThat({}), settings })
  const { session } = await before.say('hello')
  await before.say('hello again', { session })
  let asked = 0
  const models: Models = {
    ...modelsThat({}),
    async model(id) {
      asked += 1
      throw new ModelError('network', 'The provider is down.', { provider: 'local', model: id })
    },
  }
  const { runtime } = await before.reopened({ models })
  asked = 0
  const { identical, wires } = await runtime.replay(session)
  assert.deepEqual(
    [identical, wires?.identical, wires?.unknown.map(({ why }) => why)],
    [2, 0, ['The provider is down.', 'The provider is down.']],
  )
  assert.equal(asked, 1)
})

test('the account of a call says what its pieces, its request and its body are, and what was reported', async (t) => {
  next = () => ({ text: 'ok', usage: { promptTokens: 300, cachedTokens: 128, outputTokens: 1 } })
  const price = { input: 1, cachedInput: 0.1, output: 4 }
  const at = await opened(t, { models: modelsThat({ price }), settings: { model: 'local/scripted' } })
  const { session } = await at.say('hello')
  const { calls } = await at.say('hello again', { session })
  const record = (await at.store.call(calls[0]!)) ?? assert.fail()
  const manifest = record.manifest as SealedManifest
  for (const { digest, outcome } of manifest.entries) {
    assert.equal(/^[0-9a-f]{64}$/.test(digest ?? ''), outcome !== 'omitted')
  }
  assert.match(manifest.requestDigest, /^[0-9a-f]{64}$/)
  assert.ok(manifest.reuse!.tokens > 100 && manifest.reuse!.firstChange?.cause === 'grew')
  const { cached, written, fresh, money } = manifest.forecast!
  assert.ok(cached + written + fresh > 100 && money! > 0)
  assert.deepEqual(
    [record.outcome?.wire?.sha256, record.outcome?.usage?.promptTokens, record.outcome?.usage?.cachedTokens],
    [server.requests.at(-1)!.sha256, 300, 128],
  )
})
