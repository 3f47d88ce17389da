import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test, type TestContext } from 'node:test'
import OpenAI, { APIError } from 'openai'
import { openedHome } from '../home/opened-home.ts'
import { served, TOKEN } from './served.ts'

/** A server of embeddings in OpenAI's format: the vector of a text has its length in it. */
async function embeddingServer(t: TestContext) {
  const bodies: Record<string, unknown>[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
    request.on('end', () => {
      const body = JSON.parse(text) as Record<string, unknown>
      bodies.push(body)
      const found = request.url === '/v1/embeddings' && body['model'] !== 'missing'
      response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
      const texts = [body['input']].flat() as string[]
      const data = texts.map((each, index) => ({ object: 'embedding', index, embedding: [each.length, 0.5] }))
      const error = { message: 'no such model', type: 'invalid_request_error' }
      response.end(
        JSON.stringify(
          found
            ? { object: 'list', data, model: body['model'], usage: { prompt_tokens: 3, total_tokens: 3 } }
            : { error },
        ),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/v1`, bodies }
}

/** OpenAI's own client over a gateway in memory. */
async function gateway(t: TestContext, configuration: object) {
  const { runtime } = await openedHome(t, {}, configuration)
  const { server } = served(runtime)
  const fetch = (input: string | URL | Request, init?: RequestInit) => server.fetch(new Request(input, init))
  return new OpenAI({ apiKey: TOKEN, baseURL: 'http://127.0.0.1:4141/v1', maxRetries: 0, fetch })
}

test('the configured model embeds texts, as numbers or as the bytes that the client asks for', async (t) => {
  const { url, bodies } = await embeddingServer(t)
  const client = await gateway(t, {
    search: { embedding: { kind: 'openai-compatible', model: 'small', baseURL: url } },
  })
  const input = ['One.', 'Three words here.']
  const packed = await client.embeddings.create({ model: 'foreword', input })
  const plain = await client.embeddings.create({ model: 'foreword', input, encoding_format: 'float' })
  for (const { data } of [packed, plain]) {
    assert.deepEqual(
      data.map(({ index }) => index),
      [0, 1],
    )
    // Vectors have the length 1, as search needs them.
    for (const [index, { embedding }] of data.entries()) {
      const [first = 0, second = 0] = embedding
      assert.ok(Math.abs(first / second - input[index]!.length / 0.5) < 1e-4)
    }
  }
  assert.deepEqual(bodies[0]!['input'], input)
  await assert.rejects(client.embeddings.create({ model: 'foreword', input, dimensions: 7 }), /`dimensions` must be 2/)
  await assert.rejects(client.embeddings.create({ model: 'foreword', input: [[1, 2]] }), /Send texts, not tokens/)
})

test('a call for a named model is on record with what it cost, and is held to a budget', async (t) => {
  const { url, bodies } = await embeddingServer(t)
  const { runtime } = await openedHome(
    t,
    {},
    {
      providers: { lab: { kind: 'openai-compatible', baseURL: url } },
      models: { 'lab/small': { window: 8_000, price: { input: 1, output: 1 } } },
      budgets: [{ limit: { usd: 0.001 }, per: 'day' }],
    },
  )
  const { server } = served(runtime)
  const fetch = (input: string | URL | Request, init?: RequestInit) => server.fetch(new Request(input, init))
  const client = new OpenAI({ apiKey: TOKEN, baseURL: 'http://127.0.0.1:4141/v1', maxRetries: 0, fetch })
  await client.embeddings.create({ model: 'lab/small', input: ['Four'], encoding_format: 'float' })
  await assert.rejects(
    client.embeddings.create({ model: 'lab/small', input: 'word '.repeat(5_000), encoding_format: 'float' }),
    (error) => error instanceof APIError && error.status === 402,
  )
  assert.equal(bodies.length, 1)
  await runtime.idle()
  const [refused, sent] = await runtime.store.findCalls({ limit: 10 })
  assert.equal(sent?.foreign?.kind, 'embedding')
  assert.equal(sent.model, 'lab/small')
  assert.equal(sent.outcome?.usage?.promptTokens, 3)
  assert.equal(sent.outcome.wire?.bytes, JSON.stringify(bodies[0]).length)
  assert.equal(refused?.outcome?.error?.code, 'over-budget')
})

test('a named model is asked with the request as it is, and its answer comes back', async (t) => {
  const { url, bodies } = await embeddingServer(t)
  const client = await gateway(t, { providers: { lab: { kind: 'openai-compatible', baseURL: url } } })
  const body = { input: 'Four', encoding_format: 'float', dimensions: 2, user: 'anna' } as const
  const { data, usage, model } = await client.embeddings.create({ model: 'lab/small', ...body })
  assert.deepEqual(data[0]!.embedding, [4, 0.5])
  assert.deepEqual([usage.prompt_tokens, model], [3, 'small'])
  assert.deepEqual(bodies, [{ model: 'small', ...body }])
  const refused = async (name: string) => {
    const error = await client.embeddings.create({ model: name, input: 'x', encoding_format: 'float' }).then(
      () => assert.fail('nothing was thrown'),
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof APIError)
    return [error.status, error.code]
  }
  assert.deepEqual(await refused('lab/missing'), [404, 'model_not_found'])
  assert.deepEqual(await refused('nobody/small'), [404, 'model_not_found'])
  assert.deepEqual(await refused('foreword'), [400, 'invalid-input'])
})
