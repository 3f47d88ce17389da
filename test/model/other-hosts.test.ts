import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { createModels, ModelError } from '../../src/model.ts'
import { LONG_TEXT, systemClock } from '../../src/platform.ts'

const answer = 'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

/** What a model answers before a server that gives these answers by path, and the addresses that were asked. */
async function asked(answers: Readonly<Record<string, () => Response>>) {
  const addresses: string[] = []
  const models = createModels({
    clock: systemClock,
    known,
    environment: { KEY: 'sk-test-0123456789abcdef' },
    async fetch(input) {
      const url = new URL(input instanceof Request ? input.url : input)
      addresses.push(url.href)
      return (answers[url.pathname] ?? (() => new Response('', { status: 404 })))()
    },
    providers: { own: { kind: 'openai-compatible', baseURL: 'https://here.example/v1', apiKeyEnv: 'KEY' } },
  })
  const call = async () => {
    let text = ''
    const model = await models.model('own/m')
    const request = { tools: [], messages: [{ role: 'user' as const, content: 'hi' }] }
    for await (const event of model.call(request, { signal: new AbortController().signal })) {
      if (event.type === 'text-delta') text += event.text
    }
    return text
  }
  return { call, list: () => models.list(), addresses }
}

const redirect = (location: string) => () => new Response(null, { status: 307, headers: { location } })
const stream = () => new Response(answer, { headers: { 'content-type': 'text/event-stream' } })

test('a redirect to another host is refused: neither the key nor the request goes there', async () => {
  for (const location of ['https://elsewhere.example/v1', 'http://here.example/v1', 'https://here.example:8443/']) {
    const { call, addresses } = await asked({ '/v1/chat/completions': redirect(location) })
    await assert.rejects(call, (error: ModelError) => {
      assert.equal(error.code, 'bad-request')
      assert.match(error.message, /^own redirects to https?:\/\/\S+, where neither the key .* providers\.own\.baseURL/)
      return true
    })
    assert.deepEqual([...new Set(addresses.map((address) => new URL(address).origin))], ['https://here.example'])
  }
})

test('a redirect within the host is followed, and one that never ends is not', async () => {
  const moved = await asked({ '/v1/chat/completions': redirect('/v2/chat'), '/v2/chat': stream })
  assert.equal(await moved.call(), 'ok')
  await assert.rejects((await asked({ '/v1/chat/completions': redirect('/v1/chat/completions') })).call, ModelError)
})

test('a body of megabytes is sent in parts with its length, also where a redirect within the host is followed', async (t) => {
  const received: { readonly path: string; readonly said: unknown }[] = []
  const receive = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await readText(incoming)
    const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: unknown }[] }
    assert.equal(incoming.headers['content-length'], String(Buffer.byteLength(body)))
    received.push({ path: incoming.url ?? '', said: messages[0]?.content })
    if (incoming.url === '/v1/chat/completions') outgoing.writeHead(307, { location: '/v2/chat' }).end()
    else outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer)
  }
  const server = createServer((incoming, outgoing) => void receive(incoming, outgoing))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  let largest = 0
  const models = createModels({
    clock: systemClock,
    known,
    environment: { KEY: 'sk-test-0123456789abcdef' },
    fetch(input, init) {
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform(part, controller) {
          largest = Math.max(largest, part.length)
          controller.enqueue(part)
        },
      })
      return fetch(input, { ...init, body: (init!.body as ReadableStream<Uint8Array>).pipeThrough(counted) })
    },
    providers: {
      own: {
        kind: 'openai-compatible',
        baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
        apiKeyEnv: 'KEY',
      },
    },
  })
  const content = 'Ahoi 😀 '.repeat(200_000)
  const model = await models.model('own/m')
  const call = model.call(
    { tools: [], messages: [{ role: 'user', content }] },
    { signal: new AbortController().signal },
  )
  for await (const event of call) if (event.type === 'finish') break
  assert.deepEqual(
    received.map(({ path, said }) => [path, said === content]),
    [
      ['/v1/chat/completions', true],
      ['/v2/chat', true],
    ],
  )
  assert.equal(largest, LONG_TEXT)
})

test('a server without a list of models is told as one that answers', async () => {
  const { list } = await asked({})
  const own = (await list()).find(({ id }) => id === 'own')
  assert.match(own?.why ?? '', /^own answers at https:\/\/here\.example\/v1, without a list of models\./)
})

test('a list of models without end is not read to one, and the reason is told', async () => {
  const { promise: left, resolve } = Promise.withResolvers<void>()
  const part = new Uint8Array(1024 * 1024).fill(0x20)
  const endless = () =>
    new Response(new ReadableStream({ pull: (controller) => controller.enqueue(part), cancel: () => resolve() }))
  const { list } = await asked({ '/v1/models': endless })
  const own = (await list()).find(({ id }) => id === 'own')
  await left
  assert.match(own?.why ?? '', /: the answer has more than 67108864 bytes$/)
})
