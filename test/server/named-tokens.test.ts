import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { TokenScope } from '../../src/capability.ts'
import { openGatewayTokens } from '../../src/runtime.ts'
import { openNamedTokens } from '../../src/runtime/tokens/named-tokens.ts'
import { listen } from '../../src/server.ts'
import { openedHome } from '../home/opened-home.ts'
import { served, TOKEN } from './served.ts'
import { systemClock } from '../../src/platform.ts'

const HOST = '127.0.0.1:4141'

/** A gateway in memory on a home on disk. */
async function gateway(t: TestContext) {
  const { runtime, home } = await openedHome(t)
  const tokens = openGatewayTokens({ clock: systemClock, home, store: runtime.store, random: randomBytes })
  const { server, request, json } = served(runtime, { tokens })
  t.after(() => server.endStreams())
  const make = (name: string, scope: TokenScope) => tokens.named.make({ name, scope }, 'test')
  const as = (token: string, path: string, options: Parameters<typeof request>[1] = {}) =>
    request(path, { ...options, headers: { ...options.headers, authorization: `Bearer ${token}` } })
  /** As a browser: with the headers alone that are given. */
  const browser = (path: string, headers: Record<string, string> = {}, method = 'GET', remote?: string) =>
    server.fetch(
      new Request(`http://${HOST}${path}`, { method, headers: { host: HOST, ...headers } }),
      remote === undefined ? {} : { remote },
    )
  return { home, runtime, tokens, server, request, json, make, as, browser }
}

const cookieOf = (response: Response): string => response.headers.get('set-cookie')!.split(';')[0]!

test('a token is made over HTTP, shown in that answer alone, listed and revoked', async (t) => {
  const { json, request, as, runtime } = await gateway(t)
  const made = await json<{ token: string; expires: string }>('/api/tokens', {
    body: { name: 'phone', scope: 'talk', expires: '30d' },
  })
  assert.equal(made.token.length, 43)
  assert.equal((await as(made.token, '/api/status')).status, 200)
  const listed = await json<{ tokens: readonly Record<string, unknown>[] }>('/api/tokens')
  assert.deepEqual(
    listed.tokens.map(({ name, scope, expires, isExpired }) => ({ name, scope, expires, isExpired })),
    [{ name: 'phone', scope: 'talk', expires: made.expires, isExpired: false }],
  )
  assert.match(String(listed.tokens[0]!['used']), /^\d{4}-/)
  assert.ok(!JSON.stringify(listed).includes(made.token))
  assert.deepEqual(await (await as(made.token, '/api/token')).json(), {
    ...(await json<object>('/api/token')),
    caller: { name: 'phone', scope: 'talk' },
  })
  assert.equal((await request('/api/tokens/phone', { method: 'DELETE' })).status, 204)
  assert.equal((await as(made.token, '/api/status')).status, 401)
  assert.equal((await request('/api/tokens/phone', { method: 'DELETE' })).status, 404)
  assert.equal((await request('/api/tokens', { body: { name: 'a/b', scope: 'talk' } })).status, 400)
  const records = (await runtime.store.audit()).filter(({ rule }) => rule === 'data/tokens.json')
  assert.deepEqual(
    records.map(({ by }) => by),
    ['owner', 'owner'],
  )
})

test('a token with all rights makes others, and the audit says whose it was', async (t) => {
  const { make, as, runtime } = await gateway(t)
  const { token } = await make('deputy', 'admin')
  assert.equal((await as(token, '/api/tokens', { body: { name: 'phone', scope: 'read' } })).status, 201)
  assert.equal((await runtime.store.audit()).at(-1)!.by, 'token:deputy')
})

test('an expired token is refused with the command that makes a new one', async (t) => {
  const { tokens, home, runtime, as } = await gateway(t)
  const before = Date.now() - 86_400_000
  const past = openNamedTokens({
    clock: { ...systemClock, now: () => before },
    home,
    store: runtime.store,
    random: randomBytes,
  })
  const { token } = await past.make({ name: 'old', scope: 'talk', expires: '1h' }, 'test')
  const response = await as(token, '/api/status')
  assert.equal(response.status, 401)
  assert.match(await response.text(), /The token old has expired .*foreword token new old --scope talk/)
  assert.equal(tokens.named.list().length, 1)
})

test('a token that another process revokes is refused at once, and its streams end', async (t) => {
  const { home, runtime, make, as, request } = await gateway(t)
  const [{ token }, other] = [await make('phone', 'talk'), await make('tablet', 'talk')]
  const { id: session } = (await (await request('/api/sessions', { body: {} })).json()) as { id: string }
  const events = `/api/sessions/${session}/events`
  const [ends, stays, owners] = [await as(token, events), await as(other.token, events), await request(events)]
  assert.deepEqual([ends.status, stays.status, owners.status], [200, 200, 200])
  await openNamedTokens({ clock: systemClock, home, store: runtime.store, random: randomBytes }).revoke('phone', 'cli')
  assert.equal((await as(token, '/api/status')).status, 401)
  // Ends by itself: a stream that stays open would hold the test until its time is up.
  for await (const _ of ends.body!);
  assert.equal((await as(other.token, '/api/status')).status, 200)
  const next = stays.body!.getReader().read()
  await request(`/api/sessions/${session}/messages`, { body: { text: 'Hello' } })
  assert.equal((await next).done, false)
  await owners.body!.cancel()
})

test('the stream of an MCP client ends with its token', async (t) => {
  const { make, as, tokens } = await gateway(t)
  const { token } = await make('client', 'mcp')
  const headers = { accept: 'application/json, text/event-stream' }
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  const begun = await as(token, '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params }, headers })
  await begun.text()
  const session = { ...headers, 'mcp-session-id': begun.headers.get('mcp-session-id')! }
  const stream = await as(token, '/mcp', { method: 'GET', headers: session })
  assert.equal(stream.status, 200)
  await tokens.named.revoke('client', 'test')
  await assert.rejects(async () => {
    for await (const _ of stream.body!);
  })
})

test('wrong tokens never keep a right one out, and are one record', async (t) => {
  const { server, runtime, as, make, request } = await gateway(t)
  const { token } = await make('phone', 'read')
  const guesses = Array.from({ length: 300 }, (_, at) => as(`guess-${at}`, '/api/status'))
  assert.equal((await as(token, '/api/status')).status, 200)
  assert.equal((await request('/api/status')).status, 200)
  const refused = (await Promise.all(guesses.slice(20))).find(({ status }) => status === 429)!
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  assert.match(await refused.text(), /too-many-attempts/)
  await server.settle()
  const records = (await runtime.store.audit()).filter(({ rule }) => rule === 'token')
  assert.equal(records.length, 1)
  assert.match(records[0]!.reason!, /^300 wrong tokens from this process, first 2.*, last 2/)
})

test('over a port, a record names the address of the client, and behind a proxy here the one that it reports', async (t) => {
  const { server, runtime } = await gateway(t)
  const port = await listen(server, { port: 0, bind: '127.0.0.1' })
  t.after(() => port.close({ graceMs: 0 }))
  const guess = (headers: Record<string, string> = {}) =>
    fetch(`${port.url}/api/status`, { headers: { authorization: 'Bearer guess', ...headers } })
  assert.equal((await guess()).status, 401)
  assert.equal((await guess({ 'x-forwarded-for': '10.1.1.1, 10.9.8.7' })).status, 401)
  await server.settle()
  const record = (await runtime.store.audit()).find(({ rule }) => rule === 'token')!
  assert.match(record.reason!, /^2 wrong tokens from 127\.0\.0\.1, 10\.9\.8\.7, first/)
})

test('a change of the policy with a named token is that of the token', async (t) => {
  const { make, as, runtime } = await gateway(t)
  const { token } = await make('deputy', 'admin')
  const text = '{"global": {"enabled": true}}'
  const { digest } = (await (await as(token, '/api/tool-access')).json()) as { digest: string }
  const preview = await as(token, '/api/tool-access/preview', { body: { text } })
  const { shown } = (await preview.json()) as { shown: string }
  assert.equal((await as(token, '/api/tool-access', { method: 'PUT', body: { text, digest, shown } })).status, 200)
  const changes = (await runtime.store.audit()).filter(({ reason }) => reason === 'changed on the page')
  assert.deepEqual(
    changes.map(({ by }) => by),
    ['token:deputy'],
  )
})

test('a browser gets a cookie for a named token, with its scope, and loses it with the token', async (t) => {
  const { make, browser, tokens } = await gateway(t)
  const { token } = await make('phone', 'read')
  const entered = await browser(`/?token=${token}`)
  assert.equal(entered.status, 303)
  assert.match(entered.headers.get('set-cookie')!, /; HttpOnly; SameSite=Strict; Max-Age=2592000$/)
  const cookie = cookieOf(entered)
  assert.ok(!cookie.includes(token))
  assert.equal((await browser('/api/status', { cookie })).status, 200)
  assert.equal((await browser('/api/tokens', { cookie })).status, 403)
  await tokens.named.revoke('phone', 'test')
  assert.equal((await browser('/api/status', { cookie })).status, 401)
})

test('a token for MCP clients opens no page', async (t) => {
  const { make, browser } = await gateway(t)
  const { token } = await make('client', 'mcp')
  const refused = await browser(`/?token=${token}`)
  assert.deepEqual([refused.status, refused.headers.get('set-cookie')], [403, null])
})

test('a browser that signs out has a cookie that nobody can use, and the others stay in', async (t) => {
  const { browser } = await gateway(t)
  const [one, other] = [await browser(`/?token=${TOKEN}`), await browser(`/?token=${TOKEN}`)].map(cookieOf)
  assert.notEqual(one, other)
  const left = await browser('/api/logout', { cookie: one! }, 'POST')
  assert.equal(left.status, 204)
  assert.match(left.headers.get('set-cookie')!, /^foreword_4141=; .*Max-Age=0/)
  assert.equal((await browser('/api/status', { cookie: one! })).status, 401)
  assert.equal((await browser('/api/status', { cookie: other! })).status, 200)
})

test('a new token of the owner leaves the browsers of named tokens signed in', async (t) => {
  const { make, browser, request } = await gateway(t)
  const { token } = await make('phone', 'read')
  const [mine, phone] = [await browser(`/?token=${TOKEN}`), await browser(`/?token=${token}`)].map(cookieOf)
  assert.equal((await request('/api/token/replace', { method: 'POST' })).status, 204)
  assert.equal((await browser('/api/status', { cookie: mine! })).status, 401)
  assert.equal((await browser('/api/status', { cookie: phone! })).status, 200)
})

test('the cookie is for https alone where the browser came over https, which only a proxy on this machine can say', async (t) => {
  const { browser } = await gateway(t)
  const isSecure = async (headers: Record<string, string>, remote?: string): Promise<boolean> =>
    /; Secure/.test((await browser(`/?token=${TOKEN}`, headers, 'GET', remote)).headers.get('set-cookie')!)
  const https = { 'x-forwarded-proto': 'https' }
  assert.equal(await isSecure({}, '127.0.0.1'), false)
  assert.equal(await isSecure(https, '127.0.0.1'), true)
  assert.equal(await isSecure(https, '::ffff:127.0.0.1'), true)
  assert.equal(await isSecure(https, '10.0.0.7'), false)
  assert.equal(await isSecure({ 'x-forwarded-proto': 'http' }, '::1'), false)
})
