import assert from 'node:assert/strict'
import test from 'node:test'
import { scriptedRuntime } from './scripted-runtime.ts'
import { served } from './served.ts'

test('a code is made, chats are listed, and one is taken out once', async () => {
  const runtime = scriptedRuntime()
  const { request, json } = served(runtime)
  const made = await request('/api/pairings/code', { body: { channel: 'matrix' } })
  assert.equal(made.status, 201)
  const { code } = (await made.json()) as { code: string }
  const chat = '!room/1:example.org'
  await runtime.pairings.redeem(code, { channel: 'matrix', chat, title: 'Room', kind: 'group' })
  const chats = async (query: string) => {
    const { pairings } = await json<{ pairings: readonly { chat: string }[] }>(`/api/pairings${query}`)
    return pairings.map((each) => each.chat)
  }
  assert.deepEqual([await chats(''), await chats('?channel=telegram')], [[chat], []])
  const path = `/api/pairings/matrix/${encodeURIComponent(chat)}`
  assert.equal((await request(path, { method: 'DELETE' })).status, 204)
  const again = await request(path, { method: 'DELETE' })
  assert.equal(again.status, 404)
  assert.equal(((await again.json()) as { error: { code: string } }).error.code, 'not-found')
})

test('an unknown channel gets no code, and an unpaired chat gets nothing', async () => {
  const { request } = served(scriptedRuntime())
  for (const body of [{}, { channel: '' }, { channel: 'A b' }, { channel: 'telegram', more: 1 }]) {
    assert.equal((await request('/api/pairings/code', { body })).status, 400)
  }
  for (const path of ['/api/pairings', '/api/pairings/code']) {
    assert.equal((await request(path, { method: 'POST', headers: { authorization: '' } })).status, 401)
  }
})
