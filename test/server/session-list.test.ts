import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { type RealGateway, realGateway } from '../end-to-end/gateway.ts'

interface Listed {
  readonly id: string
  readonly title?: string
  readonly opening?: string
  readonly folder?: string
  readonly pinned: boolean
  readonly state: string
}

const answers = { answer: () => ({ text: 'Yes.' }) }

function send(gateway: RealGateway, method: string, path: string, body?: string, type = 'application/json') {
  return fetch(`${gateway.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway.token}`, ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body }),
  })
}

async function listed(gateway: RealGateway, query = ''): Promise<readonly Listed[]> {
  return (await gateway.curl<{ readonly sessions: readonly Listed[] }>(`/api/sessions${query}`)).sessions
}

test('a session is renamed, pinned and filed over HTTP, and found by each of them', async (t) => {
  const gateway = await realGateway(t, answers)
  const { session } = await gateway.say('When is the spring tide?')
  const { session: other } = await gateway.say('Something else')
  const changed = { title: '  Tides of March ', pinned: true, folder: 'Reef' }
  const response = await send(gateway, 'PATCH', `/api/sessions/${session}`, JSON.stringify(changed))
  const row = (await response.json()) as Listed
  assert.deepEqual(
    [row.title, row.pinned, row.folder, row.state, row.opening],
    ['Tides of March', true, 'Reef', 'done', 'When is the spring tide?'],
  )
  const ids = async (query: string) => (await listed(gateway, query)).map(({ id }) => id)
  for (const query of ['?q=march+TIDES', '?folder=Reef', '?pinned=true']) assert.deepEqual(await ids(query), [session])
  assert.deepEqual(await ids('?q=something'), [other])
  assert.deepEqual(await ids('?state=done'), [other, session], 'a new title is no activity')
  assert.deepEqual(await gateway.curl('/api/session-folders'), { folders: [{ folder: 'Reef', sessions: 1 }] })
  const refused = await send(gateway, 'PATCH', `/api/sessions/${session}`, JSON.stringify({ title: 'two\nlines' }))
  assert.equal(refused.status, 400)
})

test('the stream of sessions reports a turn from its input to its end, a rename and a deletion', async (t) => {
  const gateway = await realGateway(t, answers)
  const response = await send(gateway, 'GET', '/api/session-changes')
  const events = response.body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  const reader = events.getReader()
  const next = async () => {
    const { value } = await reader.read()
    return { event: value!.event, row: JSON.parse(value!.data) as Listed }
  }
  assert.equal((await next()).event, 'ready')
  const { session } = await gateway.say('Hello')
  const states = new Set<string>()
  while (!states.has('done')) states.add((await next()).row.state)
  assert.ok(states.has('works'))
  await send(gateway, 'PATCH', `/api/sessions/${session}`, JSON.stringify({ title: 'Renamed' }))
  assert.equal((await next()).row.title, 'Renamed')
  await send(gateway, 'DELETE', `/api/sessions/${session}`)
  assert.deepEqual(await next(), { event: 'deleted', row: { id: session } })
  await reader.cancel()
})

test('a session is exported and imported over HTTP with its title, and a damaged export is refused whole', async (t) => {
  const gateway = await realGateway(t, answers)
  const { session } = await gateway.say('Hello')
  await send(gateway, 'PATCH', `/api/sessions/${session}`, JSON.stringify({ title: 'Kept', folder: 'Reef' }))
  const exported = await (await send(gateway, 'GET', `/api/sessions/${session}/export`)).text()
  const type = 'application/jsonl'
  const taken = await send(gateway, 'POST', '/api/sessions/import', exported, type)
  assert.equal(taken.status, 400)
  assert.match(await taken.text(), /already/)
  const imported = await send(gateway, 'POST', '/api/sessions/import?as=copy', exported, type)
  const { id, title, folder } = (await imported.json()) as Listed
  assert.deepEqual([imported.status, id, title, folder], [201, 'copy', 'Kept', 'Reef'])
  await send(gateway, 'DELETE', `/api/sessions/${session}`)
  assert.equal((await send(gateway, 'POST', '/api/sessions/import', exported, type)).status, 201)
  const damaged = exported.split('\n').toSpliced(2, 1).join('\n')
  const refused = await send(gateway, 'POST', '/api/sessions/import?as=damaged', damaged, type)
  assert.match(await refused.text(), /Line 3 .* Nothing was imported/)
  assert.equal((await send(gateway, 'GET', '/api/sessions/damaged')).status, 404)
  assert.equal((await send(gateway, 'POST', '/api/sessions/import', exported, 'text/plain')).status, 415)
})

test('the command renames, pins, moves and finds sessions', async (t) => {
  const gateway = await realGateway(t, answers)
  const { session } = await gateway.say('When is the spring tide?')
  await gateway.foreword('sessions', 'rename', session, 'Tides of March')
  await gateway.foreword('sessions', 'pin', session)
  const moved = await gateway.foreword('sessions', 'move', session, 'Reef')
  assert.match(moved.stderr, /Tides of March, pinned, in Reef/)
  const found = await gateway.foreword('sessions', 'list', '--search', 'march', '--folder', 'Reef', '--json')
  assert.equal((JSON.parse(found.stdout) as Listed).id, session)
  await gateway.foreword('sessions', 'rename', session, '-')
  assert.match((await gateway.foreword('sessions')).stdout, /When is the spring tide/)
  assert.equal((await gateway.foreword('sessions', 'list', '--state', 'odd')).code, 2)
})
