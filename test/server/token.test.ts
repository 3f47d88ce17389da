import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openGatewayTokens, readToken } from '../../src/runtime.ts'
import { scriptedRuntime } from './scripted-runtime.ts'
import { served, TOKEN } from './served.ts'
import { systemClock } from '../../src/platform.ts'

function gateway(t: TestContext, configured?: string) {
  const home = mkdtempSync(join(tmpdir(), 'foreword-token-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const written: unknown[] = []
  const runtime = scriptedRuntime()
  runtime.store.transaction = async (writes) => {
    written.push(...writes)
    return []
  }
  const tokens = openGatewayTokens({ clock: systemClock, home, configured, store: runtime.store, random: randomBytes })
  return { home, written, ...served(runtime, { tokens }) }
}

/** The cookie that a browser keeps of an answer. */
const cookieOf = (response: Response): string => response.headers.get('set-cookie')!.split(';')[0]!

test('a new token ends the old one and all cookies of it, and the browser that asked gets a new cookie', async (t) => {
  const { server, request, home, written } = gateway(t)
  const browser = (cookie: string, path: string, method = 'GET') =>
    server.fetch(new Request(`http://127.0.0.1:4141${path}`, { method, headers: { cookie, host: '127.0.0.1:4141' } }))
  const old = cookieOf(await server.fetch(new Request(`http://127.0.0.1:4141/?token=${TOKEN}`)))
  const answer = await browser(old, '/api/token/replace', 'POST')
  assert.equal(answer.status, 204)
  const token = await readToken(home)
  assert.ok(token !== undefined && token.length === 43)
  assert.equal(await answer.text(), '')
  assert.equal(server.token, token)
  assert.equal((await request('/api/status')).status, 401)
  assert.equal((await browser(old, '/api/status')).status, 401)
  assert.equal((await browser(cookieOf(answer), '/api/status')).status, 200)
  assert.equal((await request('/api/status', { headers: { authorization: `Bearer ${token}` } })).status, 200)
  assert.match(JSON.stringify(written), /a new token was made on the page/)
  assert.ok(!JSON.stringify(written).includes(token))
})

test('a gateway that keeps no token says how to get one that can be replaced', async () => {
  const { request } = served(scriptedRuntime())
  const refused = await request('/api/token/replace', { method: 'POST' })
  assert.equal(refused.status, 400)
  const { error } = (await refused.json()) as { readonly error: { readonly hint: string } }
  assert.match(error.hint, /^Start the gateway with `foreword start`/)
})

test('the facts about the token never contain it', async (t) => {
  const { json } = gateway(t)
  assert.deepEqual(await json('/api/token'), { needed: true, canReplace: true, caller: { scope: 'admin' } })
})

test('a token that the configuration sets is not replaced', async (t) => {
  const { request, json, home } = gateway(t, TOKEN)
  assert.deepEqual(await json('/api/token'), { needed: true, canReplace: false, caller: { scope: 'admin' } })
  const refused = await request('/api/token/replace', { method: 'POST' })
  assert.equal(refused.status, 400)
  const { error } = (await refused.json()) as { readonly error: { readonly hint: string } }
  assert.match(error.hint, /FOREWORD_GATEWAY_TOKEN/)
  assert.equal(await readToken(home), undefined)
})
