import assert from 'node:assert/strict'
import test from 'node:test'
import { scriptedRuntime } from './scripted-runtime.ts'
import { served } from './served.ts'

interface Made {
  readonly id: string
  readonly version: number
  readonly value?: Readonly<Record<string, unknown>>
}

interface Refused {
  readonly error: { readonly code: string; readonly message: string }
}

const poet = { name: 'Poet', prompt: 'Answer in verse.', reminder: 'In verse!', tools: ['search_*'] }

test('an agent is made, read, changed field by field, removed and brought back', async () => {
  const { request, json } = served(scriptedRuntime())
  const answer = await request('/api/agents', { body: poet })
  const made = (await answer.json()) as Made
  assert.equal(answer.status, 201)
  assert.equal(answer.headers.get('location'), `/api/agents/${made.id}`)
  assert.deepEqual(made.value, { ...poet, mode: 'append' })
  const path = `/api/agents/${made.id}`
  const changed = await json<Made>(path, { method: 'PATCH', body: { mode: 'replace', reminder: null } })
  assert.deepEqual(
    [changed.version, changed.value],
    [2, { name: 'Poet', prompt: 'Answer in verse.', mode: 'replace', tools: ['search_*'] }],
  )
  assert.equal((await request(path, { method: 'DELETE' })).status, 204)
  assert.equal((await request(path)).status, 404)
  assert.deepEqual(await json('/api/agents'), { agents: [] })
  const { agents: removed } = await json<{ agents: readonly Made[] }>('/api/agents?removed=true')
  assert.deepEqual(
    removed.map(({ id, version, value }) => [id, version, value]),
    [[made.id, 2, changed.value]],
  )
  const { versions } = await json<{ versions: readonly Made[] }>(`${path}/versions`)
  assert.deepEqual(
    versions.map(({ version, value }) => [version, value === undefined]),
    [
      [3, true],
      [2, false],
      [1, false],
    ],
  )
  const restored = await json<Made>(`${path}/restore`, { body: { version: 1 } })
  assert.deepEqual([restored.version, restored.value], [4, made.value])
  assert.deepEqual(await json('/api/agents?removed=true'), { agents: [] })
})

test('of two people who edit the same version, the second gets a conflict', async () => {
  const { request, json } = served(scriptedRuntime())
  const { id } = await json<Made>('/api/projects', { body: { name: 'Tides' } })
  const path = `/api/projects/${id}`
  assert.equal((await request(path, { method: 'PATCH', body: { instructions: 'Be exact.', after: 1 } })).status, 200)
  const late = await request(path, { method: 'PATCH', body: { instructions: 'Be brief.', after: 1 } })
  assert.deepEqual([late.status, ((await late.json()) as Refused).error.code], [409, 'changed'])
  assert.equal((await json<Made>(path)).value?.['instructions'], 'Be exact.')
})

test('what no agent can be is refused with every fault named, and so is a name that is taken', async () => {
  const { request, json } = served(scriptedRuntime())
  await json('/api/agents', { body: poet })
  const bad = await request('/api/agents', { body: { name: '', mode: 'both', colour: 'red' } })
  const { error } = (await bad.json()) as Refused
  assert.equal(bad.status, 400)
  for (const field of ['body.name', 'body.mode', 'colour']) assert.ok(error.message.includes(field), error.message)
  const taken = await json<Refused>('/api/agents', { body: { name: 'poet' } })
  assert.match(taken.error.message, /There is an agent named poet already/)
  assert.equal((await request('/api/agents/none')).status, 404)
  assert.equal((await request('/api/agents/none', { method: 'PATCH', body: { name: 'x' } })).status, 404)
})

test('a session is given an agent and a project, and keeps both when neither is there', async () => {
  const { request, json } = served(scriptedRuntime())
  const agent = (await json<Made>('/api/agents', { body: poet })).id
  const project = (await json<Made>('/api/projects', { body: { name: 'Tides' } })).id
  const made = await json<Made & Record<string, string>>('/api/sessions', { body: { agent, project } })
  assert.deepEqual([made['agent'], made['project']], [agent, project])
  const path = `/api/sessions/${made.id}`
  const left = await json<Record<string, string>>(path, { method: 'PATCH', body: { agent: null } })
  assert.deepEqual([left['agent'], left['project']], [undefined, project])
  const wrong = await request(path, { method: 'PATCH', body: { model: 'ollama/llama3.2', agent: 'none' } })
  assert.equal(wrong.status, 404)
  assert.equal((await json<Record<string, string>>(path))['model'], undefined)
  assert.equal((await request(path, { method: 'PATCH', body: {} })).status, 400)
  assert.equal((await request('/api/sessions', { body: { project: 'none' } })).status, 404)
})

test('the system prompt is edited, reset and restored, and every version is kept', async () => {
  const { request, json } = served(scriptedRuntime())
  const unedited = { text: 'Packaged.', from: 'packaged system prompt' }
  assert.deepEqual(await json('/api/prompt'), { edited: false, unedited, warnings: [] })
  await json('/api/prompt', { method: 'PUT', body: { text: 'Be kind.' } })
  const second = await json<Made>('/api/prompt', { method: 'PUT', body: { text: 'Be brief.', after: 1 } })
  assert.equal(second.version, 2)
  assert.equal((await request('/api/prompt', { method: 'PUT', body: { text: 'Be long.', after: 1 } })).status, 409)
  assert.equal((await request('/api/prompt', { method: 'PUT', body: { text: ' ' } })).status, 200, 'none is a choice')
  await request('/api/prompt', { method: 'DELETE' })
  assert.equal((await json<{ edited: boolean }>('/api/prompt')).edited, false)
  await json('/api/prompt/restore', { body: { version: 1 } })
  const { versions } = await json<{ versions: readonly { text?: string }[] }>('/api/prompt/versions')
  assert.deepEqual(
    versions.map(({ text }) => text),
    ['Be kind.', undefined, ' ', 'Be brief.', 'Be kind.'],
  )
  assert.equal((await request('/api/prompt/restore', { body: { version: 4 } })).status, 404)
})

test('a search tells how each hit was found and how far the index is, and takes words as words', async () => {
  const { request, json } = served(scriptedRuntime())
  const { hits, progress } = await json<{ hits: readonly { ranks: unknown }[]; progress: unknown }>(
    '/api/search?q=spring%20tide',
  )
  assert.deepEqual(hits[0]?.ranks, [
    { by: 'words', rank: 1, value: 4.2 },
    { by: 'meaning', rank: 2, value: 0.81 },
  ])
  assert.deepEqual(progress, { documents: 2, indexed: 1, chunks: 3, embedded: 0 })
  assert.equal((await request('/api/search?q=%22%20OR%20*')).status, 200)
  assert.equal((await request('/api/search?q=%20')).status, 400)
  assert.equal((await request('/api/search?q=tide&project=none')).status, 404)
  const unembedded = await request('/api/search?q=tide&by=meaning')
  assert.equal(unembedded.status, 400)
  assert.match(await unembedded.text(), /search\.embedding/)
})
