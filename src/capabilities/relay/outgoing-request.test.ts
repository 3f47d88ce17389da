import assert from 'node:assert/strict'
import test from 'node:test'
import { knownSecrets } from '../../platform.ts'
import * as fc from 'fast-check'
import { forAll } from '../../../test/arbitrary/for-all.ts'
import { outgoingRequest, type OutgoingRules } from './outgoing-request.ts'

const TOKEN = 'kR3vQ9zL1tB7mXw5Yc2Hn8Jd4Fg6Ps0AeUiOxTqVbNc'
const KEY = 'sk-of-the-gateway'
const tokens = knownSecrets({ token: TOKEN })

const usual: OutgoingRules = {
  server: { name: 'openai', baseURL: 'https://api.example/v1', headers: { 'X-Team': 'ours' }, keyHeader: undefined },
  key: KEY,
  holdsToken: (text) => tokens.find(text) !== undefined,
  anyPath: false,
  paths: [],
  signInTokens: false,
}

interface Asked {
  readonly method?: string
  readonly path?: string
  readonly headers?: readonly string[]
  readonly rules?: Partial<OutgoingRules>
}

function leave({ method = 'POST', path = '/v1/responses', headers = [], rules = {} }: Asked) {
  return outgoingRequest({ method, path, headers }, { ...usual, ...rules })
}

const any = { anyPath: true }
const own = ['x-api-key', 'own']

test('a path stays below the address of its provider, in its plain form', () => {
  const table: readonly (readonly [path: string, left: string | RegExp])[] = [
    ['/v1/responses', '/v1/responses'],
    ['/responses', '/v1/responses'],
    ['', '/v1'],
    ['?x=1', '/v1?x=1'],
    ['/', '/v1/'],
    ['//v1///responses', '/v1/responses'],
    ['/v1/m%65ssages', '/v1/messages'],
    ['/v1/%6D%2Da%7eb', '/v1/m-a~b'],
    ['/v1/responses/r%2F1?x=%20y&next=../c', '/v1/responses/r%2F1?x=%20y&next=../c'],
    ['/v1/a..b/...c', '/v1/a..b/...c'],
    ['/v1/%E4%B8%AD%20x', '/v1/%E4%B8%AD%20x'],
    ['/v1/models/gemini:generate', '/v1/models/gemini:generate'],
    ['/api/tags', '/v1/api/tags'],
    ...[
      '/v1/../admin',
      '/v1/./x',
      '/v1/%2e%2E/admin',
      '/v1/.%2e/admin',
      '/v1/..%2fadmin',
      '/v1/x%2f..%2f..%2fadmin',
      '/v1/%252e%252e/admin',
      '/v1/%25252e/admin',
      '/v1/a%252fb',
      '/v1/..;/admin',
      '/v1/..;x=y/admin',
      '/v1/;x/admin',
      '/v1/%2e%2e%3b/admin',
      '/v1/..%20/admin',
      '/v1/..%00/admin',
      '/v1/%0d%0aHost:x',
      '/v1/%c0%ae%c0%ae/admin',
      '/v1/%e0%80%ae/admin',
      '/v1/%c0%af',
      '/v1/%u002e%u002e/admin',
      '/v1/%zz',
      '/v1/%',
      '/v1\\..\\admin',
      '/v1/..%5cadmin',
      '/v1/a%5Cb',
      '/v1/%EF%BC%8E%EF%BC%8E/admin',
      '/v1/%E2%80%A4%E2%80%A4/admin',
      '/v1/x%EF%BC%8F..%EF%BC%8Fadmin',
      '/v1/x%2F',
      '/v1/%2F%2Fevil.example',
      '/v1/À®À®/admin',
      '/v1/models#/../admin',
      '/v1/a b',
    ].map((path) => [path, /could lead elsewhere/] as const),
  ]
  for (const [path, left] of table) {
    const asked = { method: 'GET', path, rules: any }
    if (typeof left === 'string') assert.equal(leave(asked).target.path, left, path)
    else assert.throws(() => leave(asked), left, path)
  }
  const bases: readonly (readonly [base: string, path: string, left: string])[] = [
    ['http://x.example', '/api/chat', '/api/chat'],
    ['http://x.example', '/v1/models', '/v1/models'],
    ['http://x.example/api', '/api/chat', '/api/chat'],
    ['http://x.example/v1', '/api/tags', '/v1/api/tags'],
    ['http://x.example/api/v1', '/v1/models', '/api/v1/models'],
    ['http://x.example/deep/path/', '/models', '/deep/path/models'],
    // A path with a version of its own is that of its program: Gemini, Vertex, and Azure as it names deployments.
    ['http://x.example/v1', '/v1beta/models', '/v1beta/models'],
    ['http://x.example/v1beta/openai', '/v1beta/models', '/v1beta/models'],
    ['http://x.example/v1beta/openai', '/v1beta/openai/models', '/v1beta/openai/models'],
    ['http://x.example/v1beta/openai', '/models', '/v1beta/openai/models'],
    ['http://x.example', '/v1beta1/projects/p/models', '/v1beta1/projects/p/models'],
    ['http://x.example/v1', '/v1beta1/projects/p/models', '/v1beta1/projects/p/models'],
    ['http://x.example', '/openai/deployments/d/models', '/openai/deployments/d/models'],
    ['http://x.example/v1', '/openai/deployments/d/models', '/openai/deployments/d/models'],
    ['http://x.example/openai', '/openai/deployments/d/models', '/openai/deployments/d/models'],
    ['http://x.example/openai/v1', '/openai/deployments/d/models', '/openai/deployments/d/models'],
    ['http://x.example/openai/v1', '/openai/v1/models', '/openai/v1/models'],
    ['http://x.example/openai/v1', '/v1/models', '/openai/v1/models'],
    ['http://x.example/openai/v1', '/models', '/openai/v1/models'],
    ['http://x.example/v1', '/anthropic/v1/models', '/anthropic/v1/models'],
    ['http://x.example/v1/account/openai', '/v1/models', '/v1/account/openai/v1/models'],
  ]
  for (const [baseURL, path, left] of bases) {
    assert.equal(
      leave({ method: 'GET', path, rules: { ...any, server: { ...usual.server, baseURL } } }).target.path,
      left,
    )
  }
})

test('no path leads a server away from the address, however often it decodes and whatever it takes for a slash', () => {
  const parts = `/ // . .. %2e %252e %25252e %2f %252f \\ %5c %255c ; %3b ..; .;x %00 %20 %0d%0a %c0%ae %c0%af %EF%BC%8E %EF%BC%8F
    %E2%80%A5 %u002e # ? v1 messages responses models admin files api %61 @ % %zz : é chat completions openai deployments`
  const path = fc.array(fc.constantFrom('/', ...parts.split(/\s+/)), { minLength: 1, maxLength: 12 })
  const rules = { server: { ...usual.server, baseURL: 'https://api.example/base/v1' } }
  const decoded = (text: string) => decodeURIComponent(text.replaceAll(/%(?![\da-f]{2})/gi, '%25'))
  forAll(
    fc.tuple(path, fc.boolean(), fc.nat(3), fc.boolean()),
    ([made, anyPath, times, isLax]) => {
      let read = ''
      try {
        read = leave({ path: `/${made.join('')}`, rules: { ...rules, anyPath } }).target.path.split('?')[0]!
      } catch {
        return
      }
      for (let time = 0; time < times; time += 1) read = decoded(read)
      if (isLax)
        read = read
          .normalize('NFKC')
          .replaceAll('\\', '/')
          .replaceAll(/;[^/]*|[\s\0]+(?=\/|$)/g, '')
      assert.match(read, /^\/base\//)
      assert.ok(!read.split('/').includes('..'), read)
      if (!anyPath) assert.match(read, /(?:messages|responses|chat\/completions)\/?$/)
    },
    4_000,
  )
})

test('the token, its cookies and what proxies say of the caller leave in no header', () => {
  // Names that only look like those of proxies.
  const similar = [
    'x-client-name',
    'a',
    'X-Client-Request-Id',
    'b',
    'x-ms-client-request-id',
    'c',
    'remote-name-x',
    'd',
    'x-host',
    'e',
  ]
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  const kept = ['anthropic-BETA', 'a', 'anthropic-beta', 'b', 'User-Agent', 'x/1']
  const table: readonly (readonly [headers: readonly string[], left: readonly string[] | RegExp])[] = [
    [kept, kept],
    [['x-foreword-token', TOKEN, 'X-Foreword-Mode', 'assemble', 'x-foreword-other', '1'], []],
    [['Authorization', `Bearer ${TOKEN}`], []],
    [['authorization', `bearer   ${TOKEN}`, 'X-Api-Key', TOKEN, 'api-key', TOKEN], []],
    [['x-goog-api-key', TOKEN, 'ocp-apim-subscription-key', TOKEN], []],
    [['authorization', basic(`user:${TOKEN}`)], []],
    [['authorization', basic(`${TOKEN}:`)], []],
    [['authorization', `Token token="${TOKEN}"`], []],
    [
      ['Authorization', `Bearer ${TOKEN}`, 'Authorization', 'Bearer own'],
      ['Authorization', 'Bearer own'],
    ],
    [
      ['openai-project', `foreword:${TOKEN}:proj_1`],
      ['openai-project', 'proj_1'],
    ],
    [['X_Foreword_Token', TOKEN, 'X_Forwarded_For', '1', 'X_Real_IP', '1', 'X_API_KEY', TOKEN], []],
    [['openai-project', `foreword:${TOKEN}`], []],
    [['openai-project', `foreword:${TOKEN}:${TOKEN}`], /in its header `openai-project`/],
    [['x-other', `before ${TOKEN} after`], /in its header `x-other`/],
    [['x-other', Buffer.from(`ab${TOKEN}`).toString('base64')], /in its header `x-other`/],
    [['x-other', encodeURIComponent(TOKEN).replaceAll('k', '%6b').replaceAll('c', '%63')], /in its header/],
    [['x-other', TOKEN.replaceAll('k', '\\u006b').replaceAll('c', '\\u0063')], /in its header/],
    [['x-other', Buffer.from(TOKEN).toString('hex')], /in its header/],
    [[`x-${TOKEN}`, '1'], /in its header that would leave/],
    [['referer', `http://127.0.0.1:4141/through/@${TOKEN}/openai`], /in its header `referer`/],
    [['cookie', 'foreword_4141=abc'], []],
    [
      ['Cookie', 'a=1; foreword_4141=abc;foreword_80=d; b=2'],
      ['Cookie', 'a=1; b=2'],
    ],
    [
      ['cookie', 'a=1', 'sec-fetch-site', 'same-origin'],
      ['sec-fetch-site', 'same-origin'],
    ],
    [['cookie', `a=${TOKEN}`], /in its header `cookie`/],
    [
      [
        'X-Forwarded-For',
        '10.0.0.1',
        'x-forwarded-host',
        'h',
        'X-Forwarded',
        'y',
        'Forwarded',
        'for=1',
        'Via',
        '1.1 p',
      ],
      [],
    ],
    [
      [
        'x-real-ip',
        '1',
        'true-client-ip',
        '1',
        'cf-connecting-ip',
        '1',
        'tailscale-user-login',
        'me@x',
        'remote-user',
        'me',
      ],
      [],
    ],
    [
      `Client-Cert client-cert-chain X-SSL-Client-S-DN ssl-client-verify X-Client-Cert x-client-verify X-Amzn-Mtls-Clientcert
        Remote-Groups remote-email Remote-Name x-remote-groups X-authentik-username x-authelia-user X-Pomerium-Claim-Email X-Vouch-User
        X-WebAuth-User x-ms-client-principal X-MS-Client-Principal-Name x-ms-token-aad-access-token X-Azure-ClientIP x-azure-socketip
        X-AppEngine-User-IP x-appengine-city Fly-Client-IP WL-Proxy-Client-IP Proxy-Client-IP X-NF-Client-Connection-IP x-remote-addr
        X-Forward-For X-Forwarded-User x-ProxyUser-Ip X-Vercel-IP-City x-vercel-forwarded-for CloudFront-Viewer-Address akamai-origin-hop
        CF-IPCity cf-region-code CF-Pseudo-IPv4 X-Arr-ClientCert X_Azure_ClientIP`
        .trim()
        .split(/\s+/)
        .flatMap((name) => [name, 'of the caller']),
      [],
    ],
    [similar, similar],
    [
      [
        'X-Original-URL',
        '/admin',
        'x-rewrite-url',
        '/admin',
        'x-http-method-override',
        'DELETE',
        'x-method-override',
        'PUT',
      ],
      [],
    ],
    [
      ['cf-aig-authorization', 'Bearer own'],
      ['cf-aig-authorization', 'Bearer own'],
    ],
    [
      [
        'Host',
        'h',
        'Connection',
        'keep-alive, x-private',
        'X-Private',
        '1',
        'TE',
        'trailers',
        'Upgrade',
        'h2c',
        'http2-settings',
        'AAA',
      ],
      [],
    ],
    [
      ['Connection', 'content-type', 'Content-Type', 'a/b', 'Transfer-Encoding', 'chunked', 'Expect', '100-continue'],
      ['Content-Type', 'a/b'],
    ],
    [['Proxy-Authorization', basic(`user:${TOKEN}`), 'Trailer', 'x', 'Keep-Alive', '1'], []],
  ]
  for (const [headers, left] of table) {
    if (left instanceof RegExp) {
      const refusal = thrownBy(() => leave({ headers }))
      assert.match(refusal, left, headers.join(' '))
      assert.doesNotMatch(refusal, new RegExp(TOKEN))
    } else {
      const ours = left.some((name) => /authorization/i.test(name))
        ? []
        : ['authorization', `Bearer ${KEY}`, 'X-Team', 'ours']
      assert.deepEqual(leave({ headers }).headers, [...left, ...ours], headers.join(' '))
    }
  }
})

test('a token of the gateway leaves in no path and no query', () => {
  const escaped = [...Buffer.from(TOKEN)].map((byte) => `%${byte.toString(16)}`).join('')
  for (const path of [
    `/v1/responses?key=${TOKEN}`,
    `/v1/responses?x=${escaped}`,
    `/v1/responses?x=${escaped.replaceAll('%', '%25')}`,
    `/v1/responses?x=${Buffer.from(`u:${TOKEN}`).toString('base64')}`,
    `/v1/responses?${TOKEN}`,
    `/@${TOKEN}/v1/responses`,
  ]) {
    const refusal = thrownBy(() => leave({ path, rules: any }))
    assert.match(refusal, /a token of the gateway in its path or its query/)
    assert.ok(!refusal.includes(TOKEN) && !refusal.includes(escaped))
  }
})

test("the caller's own key, wherever it is, takes the place of ours and is kept nowhere", () => {
  const table: readonly Asked[] = [
    ...[
      'authorization',
      'X-Api-Key',
      'api-key',
      'x-goog-api-key',
      'Ocp-Apim-Subscription-Key',
      'x-other-api-key',
      'x-auth-token',
      'X_API_KEY',
      'x-functions-key',
    ].map((name) => ({ headers: [name, 'own-key-of-mine'] })),
    { headers: ['authorization', 'Bearer own-key-of-mine'] },
    { headers: ['Connection', 'authorization', 'authorization', 'Bearer own-key-of-mine'] },
    { headers: ['authorization', `Basic ${Buffer.from('me:own-key-of-mine').toString('base64')}`] },
    { headers: ['x-odd', 'own-key-of-mine'], rules: { server: { ...usual.server, keyHeader: 'X-Odd' } } },
    { headers: ['authorization', `Bearer ${TOKEN}`, 'x-api-key', 'own-key-of-mine'] },
    ...['key', 'api_key', 'api-key', 'apikey', 'access_token', 'subscription-key', '%6bey', 'KEY', '+key'].map(
      (name) => ({
        path: `/v1/responses?alt=sse&${name}=own-key-of-mine&api-version=1`,
      }),
    ),
  ]
  for (const asked of table) {
    const { headers, head, target } = leave(asked)
    const text = JSON.stringify(asked)
    assert.ok(!JSON.stringify(headers).includes(KEY), text)
    assert.ok(!headers.includes('X-Team'), text)
    assert.ok(/own-key-of-mine|Basic/.test(JSON.stringify([headers, target.path])), text)
    assert.ok(!/own-key-of-mine|Basic/.test(JSON.stringify(head)), text)
    if (asked.path) assert.match(head.path, /\?alt=sse&[^&]+=…&api-version=1$/)
  }
  for (const headers of [
    ['authorization', ''],
    ['authorization', 'Bearer'],
    ['Authorization', 'Bearer  '],
    ['x-api-key', ''],
  ]) {
    assert.deepEqual(leave({ headers }).headers, ['authorization', `Bearer ${KEY}`, 'X-Team', 'ours'])
  }
  const keyed = { server: { ...usual.server, headers: {}, keyHeader: 'x-api-key' } }
  assert.deepEqual(leave({ headers: ['X-API-KEY', '', 'a', 'b'], rules: keyed }).headers, ['a', 'b', 'x-api-key', KEY])
  assert.deepEqual(leave({ headers: ['X-TEAM', 'theirs'] }).headers.slice(-2), ['X-Team', 'ours'])
  for (const [path, pair] of [
    ['/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse', ['x-goog-api-key', KEY]],
    ['/v1/projects/p/locations/l/publishers/google/models/g:generateContent', ['authorization', `Bearer ${KEY}`]],
    ['/openai/deployments/d/chat/completions?api-version=1', ['api-key', KEY]],
    ['/openai/v1/chat/completions', ['authorization', `Bearer ${KEY}`]],
  ] as const) {
    assert.deepEqual(leave({ path, headers: ['x-goog-api-key', TOKEN] }).headers, [...pair, 'X-Team', 'ours'])
  }
  const missing = { key: new Error('openai needs a key') }
  assert.throws(() => leave({ rules: missing }), /needs a key/)
  assert.deepEqual(leave({ headers: own, rules: missing }).headers, own)
})

test('what may be a secret is in nothing that is kept', () => {
  const { head } = leave({
    path: '/v1/responses?sig=S1&X-Amz-Signature=S2&password=S3&code=S4&beta=true&x-secret;key=S8&next=http://x/?a=1;access_token=S9&%6Bey=S0',
    headers: ['x-goog-user-token', 'S5', 'cookie', 'a=S6', 'proxy-authorization', 'S7', 'x-trace', '1', 'X-Trace', '2'],
  })
  assert.equal(
    head.path,
    '/v1/responses?sig=…&X-Amz-Signature=…&password=…&code=…&beta=true&x-secret;key=…&next=http://x/?a=1;access_token=…&%6Bey=…',
  )
  assert.deepEqual({ ...head.headers }, { 'x-trace': '1, 2' })
})

test('sign-in tokens of subscriptions leave only where the owner allows it, wherever they are', () => {
  const jwt = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.c2ln'
  for (const asked of [
    { headers: ['authorization', 'Bearer sk-ant-oat01-abc'] },
    { headers: ['x-api-key', 'sk-ant-oat01-abc'] },
    { headers: ['x-goog-api-key', jwt] },
    { path: `/v1/responses?access_token=${jwt}` },
    { headers: ['authorization', 'Bearer\tsk-ant-oat01-abc'] },
    { headers: ['authorization', `Token ${jwt}`] },
    { headers: ['authorization', 'Bearer own, sk-ant-oat01-abc'] },
  ]) {
    assert.throws(() => leave(asked), /sign-in token of a subscription/)
    assert.ok(leave({ ...asked, rules: { signInTokens: true } }))
  }
})

test('a token that is no owner makes calls of known formats, and others where the configuration has them', () => {
  const known = [
    'POST /v1/messages?beta=true',
    'POST /messages/count_tokens',
    'POST /v1/responses',
    'POST /v1/responses/compact',
    'POST /v1/responses/input_tokens',
    'POST /v1/chat/completions',
    'POST /openai/deployments/gpt-5/chat/completions?api-version=1',
    'POST /v1beta/openai/chat/completions',
    'POST /v1/embeddings/',
    'POST /openai/v1/responses?api-version=preview',
    'POST /v1beta/models/gemini-2.5-pro:generateContent',
    'POST /v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
    'POST /v1beta/models/gemini-2.5-pro:countTokens',
    'POST /v1/projects/p/locations/eu/publishers/google/models/gemini-2.5-pro:streamGenerateContent',
    'POST /v1/projects/p/locations/eu/publishers/anthropic/models/claude-opus-4-1:streamRawPredict',
    'POST /v1/publishers/google/models/gemini-2.5-pro:generateContent',
    'GET /v1/models?limit=1000',
    'GET /models/org%2Fmodel',
    'HEAD /v1/models',
    'HEAD /',
    'HEAD ',
    'GET /v1',
  ]
  const others = [
    'GET /v1/files',
    'POST /v1/files',
    'DELETE /v1/models/ft-mine',
    'POST /v1/models/x',
    'GET /v1/responses/r1',
    'DELETE /v1/responses/r1',
    'POST /v1/completions',
    'POST /v1beta/models/gemini-2.5-pro:embedContent',
    'POST /v1beta/models/gemini-2.5-pro:batchGenerateContent',
    'POST /v1beta/tuned/models/x:generateContent',
    'POST /v1/projects/p/models/x:generateContent',
    'POST /v1/projects/p/locations/eu/publishers/meta/models/llama:rawPredict',
    'POST /v1/images/generations',
    'POST /v1/messages/batches',
    'POST /v1/threads/t1/messages',
    'POST /v1/organization/embeddings',
    'POST /v1/chat/messages',
    'GET /v1/organization/admin_api_keys',
    'POST /v1/fine_tuning/jobs',
    'GET /v1/messages',
    'GET /api/tags',
    'POST /api/pull',
    'DELETE /api/delete',
    'GET /v1models',
    'GET /openai',
    'POST /v1/Messages',
    'POST /v1/messages;x',
    'OPTIONS /v1/models',
  ]
  const ask = (call: string, rules: Partial<OutgoingRules> = {}, headers: readonly string[] = []) => {
    const [method = '', path = ''] = call.split(' ')
    return leave({ method, path, headers, rules })
  }
  for (const call of known) assert.ok(ask(call), call)
  for (const call of others) {
    assert.throws(() => ask(call), /is no call of a known format, and this token may make no other/, call)
    assert.ok(ask(call, any), call)
    // With a key of their own, where one is asked for, people may do what they may do without a gateway.
    assert.ok(ask(call, {}, own), call)
    assert.ok(ask(call, { key: new Error('missing') }, own), call)
    assert.throws(() => ask(call, { key: undefined }, own), /known format/, call)
  }
  const paths = ['/v1/files/*', 'POST /v1/images/generations', 'GET /api/tags']
  for (const call of ['GET /v1/files', 'DELETE /files/f1/content', 'POST /v1/images/generations', 'GET /api/tags']) {
    assert.ok(ask(call, { paths }), call)
  }
  for (const call of ['GET /v1/filesystem', 'GET /v1/images/generations', 'POST /v1/images/edits', 'POST /api/tags']) {
    assert.throws(() => ask(call, { paths }), call)
  }
  for (const call of others) assert.ok(ask(call, { paths: ['/*'] }), call)
  assert.ok(ask('POST /api/chat', { server: { ...usual.server, calls: ['POST /api/chat'] } }))
  const hint = thrownBy(() => ask('GET /v1/files?key='))
  assert.match(hint, /foreword config set through\.paths '\["GET \/v1\/files"\]'/)
})

test('no browser opens an answer as a page, and methods that give a request back do not leave', () => {
  const wanted = `
    document iframe frame embed object script style image font worker sharedworker serviceworker audioworklet paintworklet
    manifest xslt report track video audio json webidentity new-one`
  const table = [
    ...wanted
      .trim()
      .split(/\s+/)
      .map((value) => ['Sec-Fetch-Dest', value]),
    ...['navigate', 'nested-navigate', 'websocket'].map((value) => ['sec-fetch-mode', value]),
    ...['cross-site', 'same-site'].map((value) => ['sec-fetch-site', value]),
    ['sec-purpose', 'prefetch'],
    ['Upgrade-Insecure-Requests', '1'],
  ]
  for (const headers of table) {
    assert.throws(() => leave({ headers, rules: any }), /no browser may open them/, headers.join(': '))
  }
  // As `fetch` of Node sends it, Electron, and a script of the page.
  for (const headers of [
    ['sec-fetch-mode', 'cors'],
    ['sec-fetch-site', 'none', 'sec-fetch-mode', 'no-cors', 'sec-fetch-dest', 'empty'],
    ['sec-fetch-site', 'same-origin', 'sec-fetch-mode', 'cors', 'sec-fetch-dest', 'empty'],
  ]) {
    assert.ok(leave({ headers }))
  }
  assert.throws(() => leave({ headers: ['Transfer-Encoding', 'gzip, chunked'] }), /transfer encoding `chunked`/)
  for (const method of ['TRACE', 'TRACK', 'CONNECT', 'PROPFIND', 'get']) {
    assert.throws(() => leave({ method, rules: any }), /does not go through/)
  }
})

function thrownBy(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    const { message, hint } = error as { readonly message: string; readonly hint?: string }
    return `${message} ${hint}`
  }
  return assert.fail('it was not refused')
}
