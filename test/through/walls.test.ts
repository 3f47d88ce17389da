import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { recordedCalls, send, startGateway, talkToken } from './gateway.ts'
import { answerMessages, startVendor, type Vendor } from './vendor.ts'

const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Say hello' }], max_tokens: 5 })
const KEY = 'sk-of-the-gateway-1234567890'

interface Walls {
  readonly answer?: Vendor['answer']
  readonly through?: object
}

interface Asked {
  readonly headers?: readonly string[]
  readonly method?: string
  readonly token?: string
  readonly sent?: string
}

async function openWalls(t: TestContext, { answer = answerMessages(), through = {} }: Walls = {}) {
  const vendor = await startVendor(t, answer)
  const gateway = await startGateway(t, {
    through,
    providers: {
      anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1`, apiKeyEnv: 'VENDOR_KEY' },
      ollama: { kind: 'ollama', baseURL: vendor.url },
      local: { kind: 'openai-compatible', baseURL: `${vendor.url}/v1` },
    },
    environment: { VENDOR_KEY: KEY },
  })
  const call = async (
    path: string,
    { headers = [], method = 'POST', token = gateway.token, sent = body }: Asked = {},
  ) => {
    const content = ['GET', 'HEAD', 'TRACE'].includes(method) ? {} : { body: sent }
    const came = await send(`${gateway.url}${path}`, {
      method,
      headers: ['x-foreword-token', token, ...headers],
      ...content,
    })
    return { ...came, text: came.body.toString() }
  }
  return { vendor, gateway, call }
}

test('a named token that was not used yet leaves in no header, and one that was in no body', async (t) => {
  const { vendor, gateway } = await openWalls(t)
  const [fresh, used] = [await talkToken(gateway, 'fresh'), await talkToken(gateway, 'used')]
  const again = await gateway.restart()
  const headers = (own: readonly string[]) => ({ headers: ['x-foreword-token', again.token, ...own], body })
  const path = `${again.url}/through/anthropic/v1/messages`
  await send(path, headers(['x-api-key', fresh]))
  await send(path, headers(['authorization', `Basic ${Buffer.from(`me:${fresh}`).toString('base64')}`]))
  for (const { rawHeaders } of vendor.received) {
    assert.ok(rawHeaders.includes(KEY))
    assert.ok(!JSON.stringify(rawHeaders).includes(fresh) && !/basic/i.test(JSON.stringify(rawHeaders)))
  }
  const refused = await send(path, headers(['x-other', `see ${fresh}`]))
  assert.equal(refused.status, 400)
  assert.match(refused.body.toString(), /a token of the gateway in its header `x-other`/)
  assert.equal((await send(`${path}?x=${fresh}`, headers([]))).status, 400)
  assert.equal(vendor.received.length, 2)

  await send(path, { headers: ['x-foreword-token', used], body })
  const wide = Buffer.from(JSON.stringify({ model: 'm', said: used }), 'utf16le')
  const escaped = JSON.stringify({ model: 'm', said: used }).replaceAll(
    /[a-z](?=[^"]*"\})/g,
    (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
  )
  const basic = JSON.stringify({ model: 'm', said: `Basic ${Buffer.from(`me:${used}`).toString('base64')}` })
  assert.equal(JSON.parse(escaped).said, used)
  for (const sent of [wide, wide.swap16(), escaped, basic, body.replace('Say', used)]) {
    const { status } = await send(path, { headers: ['x-foreword-token', again.token, 'x-api-key', 'own'], body: sent })
    assert.equal(status, 402)
  }
  assert.equal(vendor.received.length, 3)
})

test('a token leaves in no body even where other secrets may', async (t) => {
  const { vendor, gateway, call } = await openWalls(t, { through: { secrets: 'warn' } })
  assert.equal((await call('/through/anthropic/v1/messages', { sent: body.replace('hello', KEY) })).status, 200)
  const { status, text } = await call('/through/anthropic/v1/messages', { sent: body.replace('hello', gateway.token) })
  assert.equal(status, 402)
  assert.doesNotMatch(text, /secrets warn/)
  assert.equal(vendor.received.length, 1)
})

test("the caller's key is on record nowhere, in a path neither", async (t) => {
  const { vendor, gateway, call } = await openWalls(t)
  const own = 'AIzaOwnKeyOfTheCaller123456789'
  await call(`/through/anthropic/v1/messages?key=${own}&beta=true`)
  await call('/through/anthropic/v1/messages', { headers: ['x-goog-api-key', own] })
  await call('/through/anthropic/v1/messages', { headers: ['ocp-apim-subscription-key', own] })
  assert.equal(vendor.received.length, 3)
  assert.ok(vendor.received.every(({ rawHeaders }) => !rawHeaders.includes(KEY)))
  assert.equal(vendor.received[0]!.url, `/v1/messages?key=${own}&beta=true`)
  const calls = await recordedCalls(gateway)
  assert.equal(calls.length, 3)
  assert.match(JSON.stringify(calls), /\/v1\/messages\?key=…&beta=true/)
  const kept = await Promise.all(calls.map(({ id }) => gateway.runtime.request(id, { body: true })))
  assert.ok(!JSON.stringify([calls, kept, await gateway.runtime.status()]).includes(own))
  assert.ok(!gateway.warnings.join('\n').includes(own))
})

test('a token of the scope talk makes calls of known formats, and the refusal says what to set', async (t) => {
  const { vendor, gateway, call } = await openWalls(t, { answer: (_, outgoing) => void outgoing.end('{}') })
  const token = await talkToken(gateway)
  const refused = await call('/through/anthropic/v1/files', { token, method: 'GET' })
  assert.equal(refused.status, 403)
  assert.match(refused.text, /GET \/v1\/files of anthropic is no call of a known format/)
  assert.match(refused.text, /foreword config set through\.paths '\[\\"GET \/v1\/files\\"\]'/)
  // A server that asks for no key takes any.
  assert.equal(
    (await call('/through/local/v1/files', { token, method: 'GET', headers: ['x-api-key', 'made-up'] })).status,
    403,
  )
  assert.equal((await call('/through/ollama/api/pull', { token })).status, 403)
  assert.equal((await call(`/through/@${token}/anthropic/v1/files`, { token: '', method: 'GET' })).status, 403)
  assert.equal(vendor.received.length, 0)
  for (const [path, method, headers] of [
    ['/through/anthropic/v1/messages/count_tokens', 'POST', []],
    ['/through/anthropic/v1/models?limit=1000', 'GET', []],
    ['/through/anthropic', 'HEAD', []],
    ['/through/ollama/api/chat', 'POST', []],
    ['/through/ollama/v1/chat/completions', 'POST', []],
    ['/through/anthropic/v1/files', 'GET', ['x-api-key', 'own']],
  ] as const) {
    assert.equal((await call(path, { token, method, headers })).status, 200, path)
  }
  assert.equal((await call('/through/anthropic/v1/files', { method: 'GET' })).status, 200)
  await gateway.close()
  const { gateway: other } = await openWalls(t, { through: { paths: ['/v1/files/*'] } })
  const headers = ['x-foreword-token', await talkToken(other)]
  assert.equal((await send(`${other.url}/through/anthropic/v1/files/f1`, { method: 'GET', headers })).status, 200)
})

test('a key that was added is given back by no method, and a redirection leads no caller away', async (t) => {
  const { vendor, gateway, call } = await openWalls(t, {
    answer(request, outgoing) {
      const place = request.url.endsWith('/away') ? 'http://127.0.0.1:1/v1/messages' : '/v1/models/'
      outgoing.writeHead(307, { location: place, 'set-cookie': 'foreword_1=x', 'clear-site-data': '"*"' })
      outgoing.end()
    },
  })
  const traced = await call('/through/anthropic/v1/models', { method: 'TRACE' })
  assert.equal(traced.status, 400)
  assert.equal(vendor.received.length, 0)
  const away = await call('/through/anthropic/v1/away')
  assert.equal(away.status, 502)
  assert.match(away.text, /belongs to another address/)
  assert.ok(!away.rawHeaders.some((name) => /^location$/i.test(name)))
  const here = await call('/through/anthropic/v1/models', { method: 'GET' })
  assert.equal(here.status, 307)
  const named = Object.fromEntries(
    here.rawHeaders.flatMap((name, at) => (at % 2 ? [] : [[name.toLowerCase(), here.rawHeaders[at + 1]]])),
  )
  assert.equal(named['location'], '/through/anthropic/models/')
  assert.deepEqual([named['set-cookie'], named['clear-site-data']], [undefined, undefined])
  assert.match(String(named['content-security-policy']), /^sandbox;/)
  const [first] = await recordedCalls(gateway)
  assert.equal(first?.outcome?.foreign?.end, 'broken')
})

test('what the gateway itself says on these paths is no page either', async (t) => {
  const { call } = await openWalls(t)
  for (const [path, headers] of [
    ['/through/nobody/v1/messages', []],
    ['/through/anthropic/v1/messages', ['sec-fetch-dest', 'document']],
  ] as const) {
    const { status, rawHeaders, text } = await call(path, { headers })
    assert.ok(status >= 400, text)
    assert.ok(rawHeaders.some((value) => value.startsWith('sandbox; ')))
    assert.ok(rawHeaders.includes('nosniff'))
  }
})
