import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { EmbeddingModelV4 } from '@ai-sdk/provider'
import type { Embedder } from '../../src/search/search-engine.ts'
import { aiSdkEmbedder } from '../../src/search/embedder/ai-sdk.ts'
import { knownPrefixes } from '../../src/search/embedder/http-embedder.ts'
import { ollamaEmbedder } from '../../src/capabilities/ollama/ollama-embedder.ts'
import { openaiCompatibleEmbedder } from '../../src/capabilities/openai-compatible/openai-compatible-embedder.ts'
import { systemClock } from '../../src/platform.ts'

const SECRET = 'sesame-open-1234'
const ask = (embedder: Embedder, texts = ['one', 'two'], kind: 'document' | 'query' = 'document') =>
  embedder.embed(texts, { kind })

test('a well-known model has the prefixes that its authors ask for, in whatever way a server spells its name', () => {
  const nomic = { document: 'search_document: ', query: 'search_query: ' }
  assert.deepEqual(
    [
      'nomic-embed-text',
      'nomic-embed-text:v1.5',
      'nomic-ai/nomic-embed-text-v1.5',
      'text-embedding-3-small',
      'bge-m3',
    ].map(knownPrefixes),
    [nomic, nomic, nomic, undefined, undefined],
  )
  assert.deepEqual(
    [
      'intfloat/multilingual-e5-large',
      'multilingual-e5-large-instruct',
      'snowflake-arctic-embed2',
      'mxbai-embed-large',
    ].map((model) => knownPrefixes(model)?.query),
    [
      'query: ',
      'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ',
      'query: ',
      'Represent this sentence for searching relevant passages: ',
    ],
  )
})

test('Ollama is asked at /api/embed, for all texts at once', async (context) => {
  const service = await scripted(context, () => ({
    body: {
      model: 'm',
      embeddings: [
        [1, 2],
        [3, 4],
      ],
    },
  }))
  const embedder = ollamaEmbedder({ clock: systemClock, baseURL: `${service.url}/`, model: 'm' })
  assert.deepEqual([embedder.id, embedder.batch], ['ollama/m', 32])
  assert.deepEqual(await ask(embedder), [Float32Array.of(1, 2), Float32Array.of(3, 4)])
  assert.deepEqual(service.calls, [
    { method: 'POST', path: '/api/embed', body: { model: 'm', input: ['one', 'two'], truncate: true } },
  ])
})

test('an OpenAI-compatible service is asked at /v1/embeddings, and vectors find their texts by index', async (context) => {
  const service = await scripted(context, () => ({
    body: {
      object: 'list',
      data: [
        { object: 'embedding', index: 1, embedding: [3, 4] },
        { object: 'embedding', index: 0, embedding: [1, 2] },
      ],
      model: 'm',
      usage: { prompt_tokens: 2, total_tokens: 2 },
    },
  }))
  for (const baseURL of [service.url, `${service.url}/v1`, `${service.url}/v1/`]) {
    const embedder = openaiCompatibleEmbedder({ clock: systemClock, baseURL, model: 'm', apiKey: SECRET })
    assert.deepEqual(await ask(embedder), [Float32Array.of(1, 2), Float32Array.of(3, 4)])
  }
  assert.deepEqual(service.calls[2], {
    method: 'POST',
    path: '/v1/embeddings',
    body: { model: 'm', input: ['one', 'two'], encoding_format: 'float' },
  })
  assert.equal(service.headers[0]?.authorization, `Bearer ${SECRET}`)
})

test('what changes the vectors is part of the id, and is sent', async (context) => {
  const service = await scripted(context, () => ({ body: { embeddings: [[1, 2]] } }))
  const prefixes = { document: 'search_document: ', query: 'search_query: ' }
  const embedder = ollamaEmbedder({
    clock: systemClock,
    baseURL: service.url,
    model: 'm',
    dimensions: 2,
    prefixes,
    batch: 7,
  })
  assert.equal(embedder.id, `ollama/m {"dimensions":2,"prefixes":${JSON.stringify(prefixes)}}`)
  assert.equal(embedder.batch, 7)
  await ask(embedder, ['one'])
  await ask(embedder, ['one'], 'query')
  assert.deepEqual(
    service.calls.map((call) => call.body),
    ['search_document: one', 'search_query: one'].map((text) => ({
      model: 'm',
      input: [text],
      truncate: true,
      dimensions: 2,
    })),
  )
})

test('no texts are no call', async () => {
  const embedders = [
    ollamaEmbedder({ clock: systemClock, baseURL: 'http://127.0.0.1:1', model: 'm' }),
    openaiCompatibleEmbedder({ clock: systemClock, baseURL: 'http://127.0.0.1:1', model: 'm' }),
  ]
  for (const embedder of embedders) assert.deepEqual(await ask(embedder, []), [])
})

for (const status of [429, 500, 503]) {
  test(`a service that answers ${status} is asked once more`, async (context) => {
    const recovering = await scripted(context, (n) => (n === 1 ? busy(status) : { body: { embeddings: [[1]] } }))
    assert.deepEqual(await ask(ollamaEmbedder({ clock: systemClock, baseURL: recovering.url, model: 'm' }), ['one']), [
      Float32Array.of(1),
    ])
    const failing = await scripted(context, () => busy(status))
    await assert.rejects(ask(ollamaEmbedder({ clock: systemClock, baseURL: failing.url, model: 'm' })), {
      code: 'embedding',
      status,
      message: new RegExp(`ollama/m answered HTTP ${status}, one moment`),
    })
    assert.equal(failing.calls.length, 2)
  })
}

test('a service that refuses is called once, and the error has a hint', async (context) => {
  for (const [status, advice] of [
    [400, /too long$/],
    [401, /check its API key/],
    [404, /check its baseURL and the name of the model/],
    [307, /name its new baseURL/],
  ] as const) {
    const headers: Record<string, string> = status === 307 ? { location: 'http://127.0.0.1:1/' } : {}
    const service = await scripted(context, () => ({ status, headers, body: { error: { message: 'too long' } } }))
    await assert.rejects(ask(openaiCompatibleEmbedder({ clock: systemClock, baseURL: service.url, model: 'm' })), {
      code: 'embedding',
      status,
      message: advice,
    })
    assert.equal(service.calls.length, 1)
  }
})

test('a missing service is an error with its name', async () => {
  await assert.rejects(ask(ollamaEmbedder({ clock: systemClock, baseURL: 'http://127.0.0.1:1', model: 'm' })), {
    code: 'embedding',
    message: /^ollama\/m cannot be reached \(.+\): check its baseURL, and that it runs$/,
  })
})

test('an answer without vectors is refused', async (context) => {
  const answers: readonly unknown[] = [
    null,
    {},
    { embeddings: [] },
    { embeddings: [[1]] },
    { embeddings: [[1], []] },
    { embeddings: [[1], ['x']] },
    { embeddings: [[1], [1, 2]] },
    { embeddings: [[1], null] },
    'no JSON',
  ]
  for (const body of answers) {
    const service = await scripted(context, () => ({ body }))
    await assert.rejects(ask(ollamaEmbedder({ clock: systemClock, baseURL: service.url, model: 'm' })), {
      code: 'embedding',
    })
  }
  const service = await scripted(context, () => ({
    body: {
      embeddings: [
        [1, 2],
        [3, 4],
      ],
    },
  }))
  await assert.rejects(ask(ollamaEmbedder({ clock: systemClock, baseURL: service.url, model: 'm', dimensions: 3 })), {
    message: /a vector of 2 numbers where 3 were expected/,
  })
})

test('no error contains a secret, whatever its source', async (context) => {
  const said = `wrong key ${SECRET}, Bearer ${SECRET}, sk-abcdef123456, user hunter-seven`
  const service = await scripted(context, () => ({ status: 400, body: { error: { message: said } } }))
  const host = service.url.replace('http://', '')
  const embedders = [
    openaiCompatibleEmbedder({
      clock: systemClock,
      baseURL: service.url,
      model: 'm',
      apiKey: SECRET,
      headers: { 'x-user': 'hunter-seven' },
    }),
    ollamaEmbedder({
      clock: systemClock,
      baseURL: service.url,
      model: 'm',
      headers: { authorization: `Bearer ${SECRET}`, 'x-user': 'hunter-seven' },
    }),
    // Such an address is refused by `fetch` itself, which quotes it.
    ollamaEmbedder({ clock: systemClock, baseURL: `http://hunter-seven:${SECRET}@${host}`, model: 'm' }),
    ollamaEmbedder({
      clock: systemClock,
      baseURL: service.url,
      model: 'm',
      fetch: async () => Promise.reject(new Error(said)),
      headers: { a: SECRET, b: 'hunter-seven' },
    }),
  ]
  for (const embedder of embedders) {
    await assert.rejects(ask(embedder), (error: Error) => {
      for (const secret of [SECRET, 'sk-abcdef', 'hunter-seven'])
        assert.ok(!`${error.stack}`.includes(secret), error.message)
      assert.equal(error.cause, undefined)
      return true
    })
  }
})

test('a call that nobody waits for any more ends', async (context) => {
  const service = await scripted(context, () => undefined)
  const signal = AbortSignal.timeout(20)
  for (const embedder of [
    ollamaEmbedder({ clock: systemClock, baseURL: service.url, model: 'm' }),
    openaiCompatibleEmbedder({ clock: systemClock, baseURL: service.url, model: 'm' }),
  ]) {
    await assert.rejects(embedder.embed(['one'], { kind: 'query', signal }), { name: 'TimeoutError' })
  }
})

test('a model of the AI SDK is asked in calls that it can take', async () => {
  const calls: unknown[] = []
  const model = sdkModel(async ({ values, providerOptions }) => {
    calls.push({ values, ...(providerOptions && { providerOptions }) })
    return values.map((value) => [value.length, 1])
  })
  const embedder = aiSdkEmbedder({ ...model, maxEmbeddingsPerCall: Promise.resolve(2) })
  assert.equal(embedder.id, 'scripted/m')
  assert.deepEqual(
    await ask(embedder, ['a', 'bb', 'ccc']),
    [1, 2, 3].map((length) => Float32Array.of(length, 1)),
  )
  assert.deepEqual(calls, [{ values: ['a', 'bb'] }, { values: ['ccc'] }])
  const providerOptions = {
    document: { cohere: { inputType: 'search_document' } },
    query: { cohere: { inputType: 'search_query' } },
  }
  const telling = aiSdkEmbedder(model, { providerOptions })
  await ask(telling, ['a'], 'query')
  assert.deepEqual(calls[2], { values: ['a'], providerOptions: providerOptions.query })
  assert.notEqual(telling.id, embedder.id)
})

test('a model of the AI SDK that stumbles is asked once more, and its errors carry no request', async () => {
  let calls = 0
  const failure = (statusCode: number) =>
    Object.assign(new Error(`no: sk-abcdef123456`), { statusCode, requestBodyValues: SECRET })
  const recovering = sdkModel(async () => {
    calls += 1
    if (calls === 1) throw failure(503)
    return [[1]]
  })
  assert.deepEqual(await ask(aiSdkEmbedder(recovering), ['a']), [Float32Array.of(1)])
  const refusing = sdkModel(async () => {
    calls += 1
    throw failure(401)
  })
  calls = 0
  await assert.rejects(ask(aiSdkEmbedder(refusing), ['a']), (error: Error & { status?: number }) => {
    assert.equal(error.message, 'scripted/m answered HTTP 401, no: [key]')
    assert.equal(error.status, 401)
    assert.equal(error.cause, undefined)
    return true
  })
  assert.equal(calls, 1)
})

function sdkModel(
  embed: (options: Parameters<EmbeddingModelV4['doEmbed']>[0]) => Promise<number[][]>,
): EmbeddingModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'm',
    maxEmbeddingsPerCall: undefined,
    supportsParallelCalls: false,
    doEmbed: async (options) => ({ embeddings: await embed(options), warnings: [] }),
  }
}

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

function busy(status: number): Answer {
  return { status, headers: { 'retry-after': '0' }, body: { error: 'one moment' } }
}

/** A service on a free port of this machine. No answer: it keeps the caller waiting. */
test('an answer that unfolds without end is not read to one', async () => {
  const part = new Uint8Array(1024 * 1024).fill(0x20)
  const fetch = async () =>
    new Response(new ReadableStream({ pull: (controller) => controller.enqueue(part) }), { status: 200 })
  const embedder = ollamaEmbedder({ clock: systemClock, baseURL: 'http://here.example', model: 'm', fetch })
  await assert.rejects(ask(embedder), /ollama\/m broke off its answer \(the answer has more than 67108864 bytes\)/)
})

async function scripted(context: TestContext, answer: (n: number) => Answer | undefined) {
  const calls: { method: string | undefined; path: string | undefined; body: unknown }[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      calls.push({
        method: request.method,
        path: request.url,
        body: JSON.parse(Buffer.concat(parts).toString()) as unknown,
      })
      headers.push(request.headers)
      const said = answer(calls.length)
      if (!said) return
      response.writeHead(said.status ?? 200, { 'content-type': 'application/json', ...said.headers })
      response.end(typeof said.body === 'string' ? said.body : JSON.stringify(said.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, headers }
}
