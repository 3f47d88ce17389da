import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestServer as createServer } from '../home/test-server.ts'
import { type RuntimeErrorCode, RuntimeError } from '../../src/capability.ts'
import { scriptedRuntime } from './scripted-runtime.ts'
import { served, TOKEN } from './served.ts'

const doors = served(scriptedRuntime())

interface Refusal {
  readonly error: { readonly code: string; readonly message: string }
}

const code = async (response: Response) => [response.status, ((await response.json()) as Refusal).error.code]

test('every endpoint except those of its health requires the token', async () => {
  const document = await doors.json<{ paths: Record<string, object> }>('/api/openapi.json')
  const paths = Object.entries(document.paths)
  assert.ok(paths.length > 20)
  for (const [path, methods] of paths) {
    for (const method of Object.keys(methods)) {
      const response = await doors.request(path.replaceAll(/[{}]/g, ''), {
        method: method.toUpperCase(),
        headers: { authorization: '' },
      })
      assert.equal(response.status, path.startsWith('/health') ? 200 : 401, `${method} ${path}`)
    }
  }
})

test('without the token, an unknown endpoint is not distinguishable from a known one', async () => {
  assert.deepEqual(await code(await doors.request('/api/nothing', { headers: { authorization: '' } })), [
    401,
    'unauthorized',
  ])
  assert.deepEqual(await code(await doors.request('/api/nothing')), [404, 'not-found'])
})

test('a wrong token, a shortened one and another scheme are refused alike', async () => {
  for (const authorization of ['Bearer wrong', `Bearer ${TOKEN.slice(0, -1)}`, `Basic ${TOKEN}`, TOKEN, 'Bearer ']) {
    const response = await doors.request('/api/status', { headers: { authorization } })
    assert.equal(response.status, 401)
    assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/)
  }
})

test('the URL with the token gives a browser a cookie that authorises requests and is not the token', async () => {
  const entered = await doors.request(`/?token=${TOKEN}`, { headers: { authorization: '' } }).then(async (response) => {
    assert.equal(response.status, 401)
    return doors.server.fetch(new Request(`http://127.0.0.1:4141/?token=${TOKEN}`))
  })
  assert.equal(entered.status, 303)
  assert.equal(entered.headers.get('location'), '/')
  const cookie = entered.headers.get('set-cookie')!
  assert.match(cookie, /; HttpOnly/)
  assert.match(cookie, /; SameSite=Strict/)
  assert.ok(!cookie.includes(TOKEN))
  const ask = (headers: Record<string, string>) =>
    doors.server.fetch(new Request('http://127.0.0.1:4141/api/status', { headers }))
  const pair = cookie.split(';')[0]!
  assert.equal((await ask({ cookie: `other=1; ${pair}` })).status, 200)
  assert.equal((await ask({ cookie: `${pair}0` })).status, 401)
  assert.equal((await ask({ cookie: pair, 'sec-fetch-site': 'same-site' })).status, 401)
  assert.equal((await ask({ authorization: `Bearer ${pair.split('=')[1]}` })).status, 401)
})

test('a wrong token in the address opens nothing', async () => {
  const response = await doors.server.fetch(new Request('http://127.0.0.1:4141/?token=guess'))
  assert.equal(response.status, 401)
  assert.equal(response.headers.get('set-cookie'), null)
})

test('a name that is not of this machine is refused, even at /health', async () => {
  for (const host of [
    'evil.example',
    'evil.example:4141',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '10.0.0.9',
  ]) {
    assert.deepEqual(await code(await doors.request('/health', { headers: { host } })), [403, 'host-not-allowed'], host)
  }
  for (const host of ['localhost', 'LOCALHOST:9', '127.0.0.1:4141', '127.8.8.8', '[::1]:4141']) {
    assert.equal((await doors.request('/health', { headers: { host } })).status, 200, host)
  }
})

test('names that were allowed are answered to', async () => {
  const named = served(scriptedRuntime(), {
    bind: '10.0.0.9',
    allowedHosts: ['Home.example', 'other.example:8080'],
    publicUrl: 'https://foreword.example',
    peerAddress: 'http://10.1.0.9:4141',
  })
  for (const [host, status] of Object.entries({
    'home.example': 200,
    'home.example:4141': 200,
    '10.0.0.9:4141': 200,
    'other.example:8080': 200,
    'other.example:8081': 403,
    'foreword.example': 200,
    '10.1.0.9:4141': 200,
    '10.1.0.9:4142': 403,
  })) {
    assert.equal((await named.request('/api/status', { headers: { host } })).status, status, host)
  }
})

test('pages of another origin are refused, whatever they bring', async () => {
  const host = '127.0.0.1:4141'
  for (const origin of ['http://evil.example', 'http://127.0.0.1:3000', 'null', 'file://', 'http://localhost:4141']) {
    const response = await doors.request('/api/status', { headers: { origin, host } })
    assert.deepEqual(await code(response), [403, 'origin-not-allowed'], origin)
  }
  const own = await doors.request('/api/status', { headers: { origin: 'http://127.0.0.1:4141', host } })
  assert.equal(own.status, 200)
})

test('no answer lets another origin read it, be framed, sniffed or cached', async () => {
  const answers = [
    await doors.request('/health'),
    await doors.request('/api/nothing'),
    await doors.request('/api/status', { method: 'OPTIONS', headers: { origin: 'http://127.0.0.1:4141' } }),
    await doors.request('/api/messages', { body: { text: 'hello' } }),
    await doors.request('/v1/chat/completions', {
      body: { messages: [{ role: 'user', content: 'hi' }], stream: true },
    }),
  ]
  for (const { headers } of answers) {
    for (const name of headers.keys()) assert.ok(!name.startsWith('access-control-'), name)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.match(headers.get('cache-control') ?? '', /no-store/)
  }
})

test('/health tells nothing', async () => {
  for (const path of ['/health', '/health/live', '/health/ready'])
    assert.deepEqual(await doors.json(path, { headers: { authorization: '' } }), { ok: true })
})

test('without a token only this machine may be bound to', () => {
  const make = (bind: string, token?: string) => () =>
    createServer(scriptedRuntime(), { bind, version: '0.1.0', ...(token === undefined ? {} : { token }) })
  for (const bind of ['0.0.0.0', '::', '192.168.1.5', 'home.example', '']) {
    assert.throws(make(bind), /without a token.*FOREWORD_GATEWAY_TOKEN/s)
    assert.throws(make(bind, ''), /without a token/)
    assert.doesNotThrow(make(bind, TOKEN))
  }
  for (const bind of ['127.0.0.1', 'localhost', '::1']) assert.doesNotThrow(make(bind))
})

test('a token that can be guessed keeps the gateway off every address but those of this machine', () => {
  const make = (bind: string, token: string) => () => createServer(scriptedRuntime(), { bind, token, version: '0.1.0' })
  for (const token of ['x', 'secret', 'x'.repeat(23)]) {
    assert.throws(make('0.0.0.0', token), (error: Error) => {
      assert.match(error.message, /with a token of \d+ characters: .*at least 24 characters: `node -p /s)
      return !error.message.includes(`${token} `)
    })
    assert.doesNotThrow(make('127.0.0.1', token))
  }
  assert.doesNotThrow(make('0.0.0.0', 'x'.repeat(24)))
})

test('a body that is too large is refused, declared or not, before it is read whole', async () => {
  const small = served(scriptedRuntime(), { maxBodyBytes: 100 })
  const large = { text: 'x'.repeat(200) }
  assert.deepEqual(
    await code(await small.request('/api/messages', { body: large, headers: { 'content-length': '211' } })),
    [413, 'body-too-large'],
  )
  let pulled = 0
  const endless = new ReadableStream({
    pull(controller) {
      pulled += 1
      controller.enqueue(new Uint8Array(64).fill(32))
    },
  })
  const response = await small.server.fetch(
    new Request('http://127.0.0.1/api/messages', {
      method: 'POST',
      body: endless,
      duplex: 'half',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    }),
  )
  assert.deepEqual(await code(response), [413, 'body-too-large'])
  assert.ok(pulled < 10)
})

test('a body of more lists and objects than anybody sends is refused before it is read as JSON; brackets in a text are none', async () => {
  const ask = (body: string) =>
    doors.request('/api/messages', { body, headers: { 'content-type': 'application/json' } })
  for (const one of ['[],', '{},']) {
    const response = await ask(`{"text": [${one.repeat(60_000)}]`)
    assert.equal(response.status, 400)
    assert.match(await response.text(), /more than 50000 lists and objects/)
  }
  const text = `${'["'.repeat(100_000)}\\`
  assert.doesNotMatch(await (await ask(JSON.stringify({ text }))).text(), /lists and objects/)
})

test('the error for a body without JSON or its content type explains what to send', async () => {
  const ask = (body: string, type: string) =>
    doors.request('/api/messages', { body, headers: { 'content-type': type } })
  assert.deepEqual(await code(await ask('{"text":', 'application/json')), [400, 'invalid-input'])
  assert.deepEqual(await code(await ask('{"text":"x"}', 'text/plain')), [415, 'unsupported-media-type'])
  assert.equal((await ask('{"text":"x"}', 'application/json; charset=utf-8')).status, 202)
})

test('the error for a bad request names every fault', async () => {
  const response = await doors.request('/api/messages', { body: { text: 7, modle: 'x' } })
  assert.equal(response.status, 400)
  const { error } = (await response.json()) as Refusal
  assert.equal(error.code, 'invalid-input')
  assert.match(error.message, /body\.text/)
  assert.match(error.message, /modle/)
})

test('the answer to a wrong method lists the allowed ones', async () => {
  const response = await doors.request('/api/sessions', { method: 'DELETE' })
  assert.equal(response.headers.get('allow'), 'GET, POST')
  assert.deepEqual(await code(response), [405, 'method-not-allowed'])
})

test('every failure of the runtime has its status, its code and its facts', async () => {
  const expected: Record<RuntimeErrorCode, number> = {
    'invalid-input': 400,
    'bad-request': 400,
    'unsupported-parameter': 400,
    forbidden: 403,
    'not-found': 404,
    'model-not-found': 404,
    'over-budget': 402,
    exists: 409,
    'key-reused': 409,
    decided: 409,
    changed: 409,
    'context-overflow': 422,
    'content-filter': 422,
    'rate-limit': 429,
    quota: 429,
    cancelled: 499,
    'missing-content': 500,
    storage: 500,
    'storage-damaged': 500,
    internal: 500,
    auth: 502,
    network: 502,
    'no-answer': 502,
    'unexpected-answer': 502,
    'prompt-truncated': 502,
    server: 502,
    closing: 503,
    standby: 503,
    overloaded: 503,
    'over-quota': 507,
    timeout: 504,
    'storage-full': 507,
  }
  for (const [each, status] of Object.entries(expected)) {
    const refuse = new RuntimeError(each as RuntimeErrorCode, 'so it is', { retryAfterMs: 1500, code: 'not this' })
    const response = await served(scriptedRuntime({ refuse })).request('/api/messages', { body: { text: 'hi' } })
    assert.equal(response.status, status)
    assert.equal(response.headers.get('retry-after'), '2')
    assert.deepEqual(await response.json(), { error: { code: each, message: 'so it is', retryAfterMs: 1500 } })
  }
})

test('an unexpected error is logged, and the caller gets it without internals', async () => {
  const logged: unknown[] = []
  const log = { error: (facts: object) => void logged.push(facts) }
  const broken = served(scriptedRuntime({ refuse: new Error('secret path /srv/x') }), { log })
  const response = await broken.request('/api/messages', { body: { text: 'hi' } })
  assert.equal(response.status, 500)
  const text = await response.text()
  assert.match(text, /"internal"/)
  assert.ok(!text.includes('secret'))
  assert.equal(logged.length, 1)
})
