import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestServer as createServer } from '../home/test-server.ts'
import { scriptedRuntime } from './scripted-runtime.ts'
import { TOKEN } from './served.ts'

const heard: string[] = []
const server = createServer(scriptedRuntime(), {
  token: TOKEN,
  bind: '127.0.0.1',
  version: '1',
  hooks: {
    '/channels/bell': async (request) => {
      heard.push(await request.text())
      return new Response(null, { status: 204 })
    },
    '/channels/broken': () => Promise.reject(new Error('the wire is cut at /srv/secret')),
  },
})

const call = (path: string, init: RequestInit = {}) =>
  server.fetch(new Request(`https://bells.example${path}`, { method: 'POST', body: 'ring', ...init }))

test('a service that calls by itself needs no token and may know the gateway by any name', async () => {
  assert.equal((await call('/channels/bell?from=tower')).status, 204)
  assert.deepEqual(heard, ['ring'])
})

test('only a POST to exactly that path is a call; everything else meets the guard', async () => {
  const get = { method: 'GET', body: null }
  assert.equal((await call('/channels/bell', get)).status, 403)
  for (const path of ['/channels/bell/', '/channels/bells', '/channels', '/api/status', '/channels/bell%2f']) {
    assert.equal((await call(path)).status, 403, path)
  }
})

test('a hook that fails tells nothing of how', async () => {
  const response = await call('/channels/broken')
  assert.equal(response.status, 500)
  assert.doesNotMatch(await response.text(), /secret|wire/)
})
