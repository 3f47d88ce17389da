import { fixedClock } from '../../src/testing.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { McpServer } from '@modelcontextprotocol/server'
import { legacySessions } from '../../src/server/mcp/http-endpoint.ts'
import { connected } from './clients.ts'
import { mcpHome, oneSubject, TOKEN } from './mcp-home.ts'
import { systemClock } from '../../src/platform.ts'

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'by hand', version: '1' } },
}

function posted(url: URL, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

test('the endpoint requires the token, a known Host and its own Origin', async (t) => {
  const { url } = await mcpHome(t)
  assert.equal((await posted(url, initialize)).status, 200)
  assert.equal((await posted(url, initialize, { authorization: '' })).status, 401)
  assert.equal((await posted(url, initialize, { authorization: 'Bearer wrong' })).status, 401)
  assert.equal((await posted(url, initialize, { origin: 'https://evil.example' })).status, 403)
  assert.equal((await posted(url, initialize, { origin: 'null' })).status, 403)
  assert.equal((await posted(url, initialize, { origin: url.origin })).status, 200)
})

test('a body that is not JSON, not declared as JSON or too large is rejected before it is processed', async (t) => {
  const { url } = await mcpHome(t, { server: { maxBodyBytes: 10_000 } })
  assert.equal((await posted(url, '{')).status, 400)
  assert.equal((await posted(url, initialize, { 'content-type': 'text/plain' })).status, 415)
  const large = { ...initialize, params: { ...initialize.params, more: 'x'.repeat(10_000) } }
  assert.equal((await posted(url, large)).status, 413)
  for (const method of ['PUT', 'PATCH', 'DELETE', 'GET']) {
    const response = await fetch(url, { method, headers: { authorization: `Bearer ${TOKEN}` } })
    assert.ok(response.status >= 400 && response.status < 500, `${method} ${response.status}`)
    await response.body?.cancel()
  }
})

test('every answer says that it is not kept, framed or read by other origins', async (t) => {
  const { url } = await mcpHome(t)
  for (const response of [await posted(url, initialize), await posted(url, '{')]) {
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.headers.get('cross-origin-resource-policy'), 'same-origin')
    assert.equal(response.headers.get('access-control-allow-origin'), null)
    await response.body?.cancel()
  }
})

test('a client with an unknown or ended session must start a new one', async (t) => {
  const { url } = await mcpHome(t)
  const begun = await posted(url, initialize)
  await begun.text()
  const id = begun.headers.get('mcp-session-id')!
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  const known = await posted(url, list, { 'mcp-session-id': id })
  assert.equal(known.status, 200)
  await known.text()
  assert.equal((await posted(url, list, { 'mcp-session-id': `${id}x` })).status, 404)
  const headers = { authorization: `Bearer ${TOKEN}`, 'mcp-session-id': id }
  assert.equal((await fetch(url, { method: 'DELETE', headers })).status, 200)
  assert.equal((await posted(url, list, { 'mcp-session-id': id })).status, 404)
})

test('a gateway that stops ends the streams of its clients and closes in time', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const asked = Promise.withResolvers<void>()
  const { call } = await connected(t, home, 'v2 2025-11-25', 'http', {
    async person() {
      asked.resolve()
      return new Promise(() => {})
    },
  })
  const reply = call('propose_notes_update', { image_id: 'one', content: 'Nobody answers.' })
  reply.catch(() => {})
  await asked.promise
  await home.stop()
  assert.deepEqual(
    (await home.runtime.proposals.list()).map(({ state }) => state.type),
    ['waiting'],
  )
})

test('of many sessions the one that is idle longest is closed, and if all are busy, no new one is accepted', async () => {
  const sessions = legacySessions(systemClock, named, { most: 2, idleMs: 60_000 })
  const [one, two] = [await begin(sessions), await begin(sessions)]
  assert.equal(await status(sessions, one), 200)
  const three = await begin(sessions)
  assert.equal(await status(sessions, two), 404)
  assert.equal(await status(sessions, one), 200)

  const streams = await Promise.all([one, three].map((id) => sessions.fetch(standing(id), undefined)))
  assert.deepEqual(
    streams.map((each) => each.status),
    [200, 200],
  )
  const refused = await sessions.fetch(request(initialize), initialize)
  assert.equal(refused.status, 503)
  await sessions.closeAll()
})

test('a session that rests too long is closed; one with an open stream is not', async () => {
  const clock = fixedClock()
  const sessions = legacySessions(clock, named, { most: 10, idleMs: 60_000 })
  const open = await begin(sessions)
  const stream = await sessions.fetch(standing(open), undefined)
  const resting = await begin(sessions)
  await clock.advance(75_000)
  assert.equal(await status(sessions, resting), 404)
  assert.equal(stream.status, 200)
  assert.equal(await status(sessions, open), 200)
  await sessions.closeAll()
})

type Sessions = ReturnType<typeof legacySessions>

function named(): McpServer {
  return new McpServer({ name: 'small', version: '1' }, { capabilities: { tools: {} } })
}

async function begin(sessions: Sessions): Promise<string> {
  const response = await sessions.fetch(request(initialize), initialize)
  await response.text()
  return response.headers.get('mcp-session-id')!
}

async function status(sessions: Sessions, id: string): Promise<number> {
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  const response = await sessions.fetch(request(list, { 'mcp-session-id': id }), list)
  await response.text()
  return response.status
}

function request(body: unknown, headers: Record<string, string> = {}): Request {
  return new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  })
}

/** The stream on which a client waits for what a server says by itself. */
function standing(id: string): Request {
  return new Request('http://127.0.0.1/mcp', { headers: { accept: 'text/event-stream', 'mcp-session-id': id } })
}
