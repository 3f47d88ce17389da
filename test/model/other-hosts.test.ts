import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { createModels, ModelError } from '../../src/model.ts'
import { systemClock } from '../../src/platform.ts'

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
