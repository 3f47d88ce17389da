import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2StreamPart,
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createModels, type ModelEvent, type ModelRequest } from '../model.ts'
import { providerCases, scriptedProvider } from '../testing.ts'
import { provider } from './provider.ts'
import { languageModel } from './sdk-model.ts'
import { systemClock } from '../platform.ts'

// A provider that is a package of the AI SDK, with and without the `fetch` that it is given.
providerCases(test, {
  model: 'scripted',
  provider: provider({
    kind: 'lab',
    open: ({ model, baseURL, apiKey, fetch }) =>
      createOpenAICompatible({ name: 'lab', baseURL, apiKey: apiKey!, includeUsage: true, fetch })(model),
  }),
})
providerCases(test, {
  model: 'unwatched',
  hasDigest: false,
  provider: provider({
    kind: 'lab',
    open: ({ model, baseURL, apiKey }) =>
      createOpenAICompatible({ name: 'lab', baseURL, apiKey: apiKey!, includeUsage: true })(model),
  }),
})

const REQUEST: ModelRequest = { tools: [], messages: [{ role: 'user', content: 'Hello' }] }

async function eventsOf(model: ReturnType<typeof languageModel>, request = REQUEST): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.call(request, { signal: new AbortController().signal })) events.push(event)
  return events
}

test('a language model of the AI SDK is a model in one line', async () => {
  const server = await scriptedProvider({ answer: () => ({ text: 'Hello there' }) })
  try {
    const lab = createOpenAICompatible({ name: 'lab', baseURL: `${server.url}/v1` })
    const model = languageModel(lab('x/y'), { window: 128_000 })
    assert.equal(model.id, 'lab/x/y')
    assert.deepEqual(
      { ...model.facts, assumed: model.facts.assumed?.join() },
      {
        window: 128_000,
        maxOutput: 8192,
        tools: true,
        vision: false,
        reasoning: false,
        toolChoiceNone: true,
        source: 'configuration',
        assumed: 'maxOutput,tools,vision,reasoning',
      },
    )
    const events = await eventsOf(model)
    assert.equal(events.map((event) => (event.type === 'text-delta' ? event.text : '')).join(''), 'Hello there')
    assert.equal(model.requestBody, undefined)
  } finally {
    await server.close()
  }
})

test('a language model that is made over a fetch has the digest of what it sends', async () => {
  const server = await scriptedProvider()
  try {
    const model = languageModel(
      (fetch) => createOpenAICompatible({ name: 'lab', baseURL: `${server.url}/v1`, fetch })('x'),
      { id: 'mine/x' },
    )
    assert.equal(model.id, 'mine/x')
    const options = { signal: new AbortController().signal }
    const body = await model.requestBody!(REQUEST, options)
    assert.equal(server.requests.length, 0)
    const [wire] = await eventsOf(model)
    assert.deepEqual(wire, { type: 'wire', ...body })
    assert.equal(server.requests[0]!.sha256, body.sha256)
  } finally {
    await server.close()
  }
})

const TEXT = [
  { type: 'stream-start', warnings: [] },
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
  { type: 'reasoning-end', id: 'r' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Hello' },
  { type: 'text-end', id: 't' },
] satisfies LanguageModelV2StreamPart[]

const FINISH_V4 = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'end' },
  usage: {
    inputTokens: { total: 9, noCache: 5, cacheRead: 4, cacheWrite: undefined },
    outputTokens: { total: 2, text: 1, reasoning: 1 },
  },
} satisfies LanguageModelV4StreamPart

const FINISH_V2 = {
  type: 'finish',
  finishReason: 'stop',
  usage: { inputTokens: 9, outputTokens: 2, totalTokens: 11, cachedInputTokens: 4, reasoningTokens: 1 },
} satisfies LanguageModelV2StreamPart

const names = { provider: 'own', modelId: 'm', supportedUrls: {} }
const doGenerate = () => assert.fail('calls always stream')

/** A hand-written model of each version, which keeps the calls it got. */
function handWritten(calls: unknown[]) {
  const answer = (parts: readonly unknown[]) => async (call: unknown) => {
    calls.push(call)
    return { stream: ReadableStream.from(parts) as never }
  }
  return {
    v2: { ...names, specificationVersion: 'v2', doGenerate, doStream: answer([...TEXT, FINISH_V2]) },
    v3: { ...names, specificationVersion: 'v3', doGenerate, doStream: answer([...TEXT, FINISH_V4]) },
    v4: { ...names, specificationVersion: 'v4', doGenerate, doStream: answer([...TEXT, FINISH_V4]) },
  } satisfies { v2: LanguageModelV2; v3: LanguageModelV3; v4: LanguageModelV4 }
}

for (const version of ['v2', 'v3', 'v4'] as const) {
  test(`a hand-written model of the contract ${version} answers like any other`, async () => {
    const calls: LanguageModelV2CallOptions[] = []
    const model = languageModel(handWritten(calls)[version], { window: 1000, vision: true })
    const image = { type: 'image' as const, image: 'aGVsbG8=', mediaType: 'image/png' }
    const events = await eventsOf(model, { tools: [], messages: [{ role: 'user', content: [image] }] })
    assert.deepEqual(events, [
      { type: 'reasoning-delta', text: 'Hm.' },
      { type: 'text-delta', text: 'Hello' },
      {
        type: 'finish',
        reason: 'stop',
        usage: {
          promptTokens: 9,
          cachedTokens: 4,
          cacheWrittenTokens: undefined,
          outputTokens: 2,
          reasoningTokens: 1,
        },
        message: {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Hm.' },
            { type: 'text', text: 'Hello' },
          ],
        },
      },
    ])
    const [sent] = calls[0]!.prompt
    const data = version === 'v4' ? { type: 'data', data: 'aGVsbG8=' } : 'aGVsbG8='
    assert.deepEqual(sent!.content, [{ type: 'file', mediaType: 'image/png', data }])
  })
}

test('what is no language model of a known version is refused when it is called', async () => {
  const model = languageModel({ ...handWritten([]).v4, specificationVersion: 'v1' } as never)
  await assert.rejects(eventsOf(model), /with v2, v3 or v4, not "v1"/)
})

test('settings of a provider are checked, and reach it', async () => {
  const { z } = await import('zod')
  const seen: unknown[] = []
  const own = provider({
    kind: 'own',
    settings: { region: z.enum(['here', 'there']).default('here') },
    environmentKeys: ['OWN_KEY'],
    open({ options, apiKey }) {
      seen.push(options.region, apiKey)
      return handWritten([]).v4
    },
  })
  const models = (region?: string) =>
    createModels({
      clock: systemClock,
      known: [own],
      environment: { OWN_KEY: 'k' },
      providers: { own: { kind: 'own', region } },
    })
  const model = await models().model('own/m')
  assert.deepEqual([model.id, seen], ['own/m', ['here', 'k']])
  await assert.rejects(models('nowhere').model('own/m'), /providers\.own\.region cannot be used/)
  await assert.rejects(
    createModels({ clock: systemClock, known: [own], providers: { own: { kind: 'own' } } }).model('own/m'),
    /own needs a key: set OWN_KEY/,
  )
})

test('an entry of an unknown kind fails where it is used, and names the kinds that there are', async () => {
  const own = provider({ kind: 'own', open: () => handWritten([]).v4 })
  const models = createModels({
    clock: systemClock,
    known: [own],
    providers: { odd: { kind: 'owm' }, own: { kind: 'own' } },
  })
  await assert.rejects(models.model('odd/x'), /providers\.odd\.kind is "owm", which is not known\. Known kinds: own\./)
  assert.equal((await models.model('own/x')).id, 'own/x')
  assert.deepEqual(
    (await models.list()).map(({ id, ready }) => [id, ready]),
    [['odd', false]],
  )
})
