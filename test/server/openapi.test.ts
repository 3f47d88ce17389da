import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { scriptedRuntime } from './scripted-runtime.ts'
import { served } from './served.ts'

interface Operation {
  readonly summary: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Record<string, { readonly schema: object }>
  }
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema?: object }> }>
}

interface Document {
  readonly openapi: string
  readonly info: { readonly version: string; readonly description: string }
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas?: object }
}

const runtime = scriptedRuntime()
const doors = served(runtime)
const document = await doors.json<Document>('/api/openapi.json')

const validator = (schema: object) =>
  new Ajv2020({ strict: false, validateFormats: false }).compile({ ...schema, components: document.components })

test('the OpenAPI document lists every endpoint', () => {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  assert.equal(document.openapi, '3.1.0')
  assert.equal(document.info.version, '0.1.0')
  assert.match(document.info.description, /every word a model reads/)
  assert.deepEqual(all.toSorted(), [
    'DELETE /api/agents/{agent}',
    'DELETE /api/files/{file}',
    'DELETE /api/pairings/{channel}/{chat}',
    'DELETE /api/projects/{project}',
    'DELETE /api/prompt',
    'DELETE /api/schedules/{schedule}',
    'DELETE /api/sessions/{session}',
    'DELETE /api/sessions/{session}/approvals/{tool}',
    'DELETE /api/sessions/{session}/memory',
    'DELETE /api/sessions/{session}/notes',
    'DELETE /api/templates/{template}',
    'DELETE /v1/responses/{response}',
    'GET /',
    'GET /api/acceptance',
    'GET /api/agents',
    'GET /api/agents/{agent}',
    'GET /api/agents/{agent}/versions',
    'GET /api/approvals',
    'GET /api/audit',
    'GET /api/audit/export',
    'GET /api/audit/key',
    'GET /api/audit/verify',
    'GET /api/backups',
    'GET /api/backups/{backup}/archive',
    'GET /api/budgets',
    'GET /api/calls',
    'GET /api/calls/{call}',
    'GET /api/calls/{call}/manifest',
    'GET /api/calls/{call}/parts',
    'GET /api/calls/{call}/request',
    'GET /api/calls/{call}/scenario',
    'GET /api/chat/{id}/stream',
    'GET /api/choices',
    'GET /api/choices/{choice}',
    'GET /api/commands',
    'GET /api/configuration',
    'GET /api/context',
    'GET /api/costs',
    'GET /api/diff',
    'GET /api/doctor',
    'GET /api/doctor/security',
    'GET /api/files',
    'GET /api/files/{file}',
    'GET /api/files/{file}/content',
    'GET /api/files/{file}/text',
    'GET /api/gateways',
    'GET /api/layers',
    'GET /api/layers/{layer}/history',
    'GET /api/lint',
    'GET /api/model',
    'GET /api/models',
    'GET /api/openapi.json',
    'GET /api/pairings',
    'GET /api/projects',
    'GET /api/projects/{project}',
    'GET /api/projects/{project}/versions',
    'GET /api/prompt',
    'GET /api/prompt/versions',
    'GET /api/proposals',
    'GET /api/proposals/{proposal}',
    'GET /api/schedules',
    'GET /api/schedules/{schedule}',
    'GET /api/schedules/{schedule}/runs',
    'GET /api/search',
    'GET /api/search/history',
    'GET /api/session-changes',
    'GET /api/session-folders',
    'GET /api/sessions',
    'GET /api/sessions/{session}',
    'GET /api/sessions/{session}/approvals',
    'GET /api/sessions/{session}/branches',
    'GET /api/sessions/{session}/calls',
    'GET /api/sessions/{session}/entries',
    'GET /api/sessions/{session}/events',
    'GET /api/sessions/{session}/exchanges',
    'GET /api/sessions/{session}/export',
    'GET /api/sessions/{session}/findings',
    'GET /api/sessions/{session}/memory',
    'GET /api/sessions/{session}/notes',
    'GET /api/sessions/{session}/replay',
    'GET /api/sessions/{session}/turns',
    'GET /api/sessions/{session}/turns/{turn}',
    'GET /api/setup',
    'GET /api/status',
    'GET /api/subjects',
    'GET /api/subjects/{subject}',
    'GET /api/subjects/{subject}/context',
    'GET /api/subjects/{subject}/notes',
    'GET /api/templates',
    'GET /api/templates/{template}',
    'GET /api/templates/{template}/versions',
    'GET /api/token',
    'GET /api/tool-access',
    'GET /api/tool-access/versions',
    'GET /api/tools',
    'GET /api/usage',
    'GET /health',
    'GET /health/live',
    'GET /health/ready',
    'GET /metrics',
    'GET /v1/models',
    'GET /v1/models/{model}',
    'GET /v1/responses/{response}',
    'GET /v1/responses/{response}/input_items',
    'PATCH /api/agents/{agent}',
    'PATCH /api/projects/{project}',
    'PATCH /api/schedules/{schedule}',
    'PATCH /api/sessions/{session}',
    'PATCH /api/sessions/{session}/turns/{turn}',
    'PATCH /api/templates/{template}',
    'POST /api/acceptance',
    'POST /api/agents',
    'POST /api/agents/{agent}/restore',
    'POST /api/approvals/{approval}',
    'POST /api/backups',
    'POST /api/chat',
    'POST /api/commands/{command}',
    'POST /api/context',
    'POST /api/context/scenario',
    'POST /api/files',
    'POST /api/logout',
    'POST /api/messages',
    'POST /api/pairings/code',
    'POST /api/projects',
    'POST /api/projects/{project}/restore',
    'POST /api/prompt/restore',
    'POST /api/proposals/{proposal}/decision',
    'POST /api/proposals/{proposal}/undo',
    'POST /api/reload',
    'POST /api/schedules',
    'POST /api/schedules/{schedule}/run',
    'POST /api/sessions',
    'POST /api/sessions/import',
    'POST /api/sessions/{session}/head',
    'POST /api/sessions/{session}/messages',
    'POST /api/sessions/{session}/notes',
    'POST /api/sessions/{session}/turns/{turn}/cancel',
    'POST /api/sessions/{session}/turns/{turn}/withdraw',
    'POST /api/sessions/{session}/undo',
    'POST /api/setup/providers',
    'POST /api/subjects',
    'POST /api/subjects/{subject}/gaps',
    'POST /api/subjects/{subject}/log',
    'POST /api/subjects/{subject}/summary',
    'POST /api/templates',
    'POST /api/templates/{template}/restore',
    'POST /api/token/replace',
    'POST /api/tool-access/preview',
    'POST /api/tools/{tool}/accept',
    'POST /api/tools/{tool}/plan',
    'POST /api/tools/{tool}/run',
    'POST /v1/chat/completions',
    'POST /v1/embeddings',
    'POST /v1/messages',
    'POST /v1/messages/count_tokens',
    'POST /v1/responses',
    'POST /v1/responses/compact',
    'POST /v1/responses/input_tokens',
    'POST /v1/responses/{response}/cancel',
    'PUT /api/prompt',
    'PUT /api/setup/fallback',
    'PUT /api/setup/model',
    'PUT /api/tool-access',
  ])
})

test('every part of a path and every field of a query is described', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    for (const { parameters = [], summary } of Object.values(methods)) {
      assert.ok(summary.length > 5)
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      assert.deepEqual(inPath, names, path)
    }
  }
  const diff = document.paths['/api/diff']!['get']!.parameters!
  assert.deepEqual(
    diff.map(({ name, required }) => [name, required]),
    [
      ['before', true],
      ['after', true],
    ],
  )
  assert.deepEqual(document.paths['/health']!['get']!.security, [])
})

test('the endpoints accept what the OpenAPI document allows', async () => {
  const cases: readonly [string, unknown, boolean][] = [
    ['/api/messages', { text: 'hello' }, true],
    ['/api/messages', { text: 'hello', model: 'rehearsal' }, true],
    ['/api/messages', { text: 7 }, false],
    ['/api/messages', { text: 'hello', other: 1 }, false],
    ['/api/sessions', {}, true],
    ['/api/sessions', { title: '' }, false],
    ['/api/sessions', { agent: 7 }, false],
    ['/api/messages', { text: 'hello', attachments: ['file-1'] }, true],
    ['/api/messages', { text: 'hello', attachments: 'file-1' }, false],
    ['/api/agents', { name: 'Poet', mode: 'replace', tools: ['search_*'] }, true],
    ['/api/agents', { prompt: 'Answer in verse.' }, false],
    ['/api/agents', { name: 'Painter', layout: 'none' }, false],
    ['/api/projects', { name: 'Tides', instructions: 'Be exact.' }, true],
    ['/api/projects', { name: 'Tides', files: [] }, false],
    ['/api/templates', { name: 'tides', text: 'Tell me of {{place}}.' }, true],
    ['/api/templates', { name: 'two words', text: 'Tell me.' }, false],
    ['/api/subjects', { id: 'IMG_1', brief: 'Tastes: [Night]' }, true],
    ['/api/subjects', { brief: 'A brief alone.' }, false],
    ['/api/subjects/IMG_1/log', { op: 'crop', details: { left: 4 } }, true],
    ['/api/subjects/IMG_1/log', { operation: 'crop' }, false],
    ['/api/subjects/IMG_1/gaps', { description: 'No word for haze.', satisfaction: 1 }, true],
    ['/api/subjects/IMG_1/gaps', { description: 'No word for haze.', satisfaction: 2 }, false],
    ['/api/subjects/IMG_1/gaps', { description: 7 }, false],
    ['/api/context', { input: 'x' }, true],
    ['/api/context', { input: 1 }, false],
    ['/api/chat', { id: 'c', messages: [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }] }, true],
    ['/api/chat', { id: 'c', messages: [] }, false],
    ['/api/tools/shell/plan', { input: { cmd: 'ls' } }, true],
    ['/api/tools/shell/plan', {}, false],
    ['/api/tools/shell/run', { input: {}, digest: 'digest-of-{}' }, true],
    ['/api/tools/shell/run', { input: {} }, false],
    ['/api/tools/files__read/accept', { digest: 'digest-of-definition' }, true],
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }], seed: 1 }, true],
    ['/v1/chat/completions', { messages: [{ role: 'nobody', content: 'x' }] }, false],
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }], n: 2 }, false],
    ['/v1/responses', { input: 'x', seed: 1 }, true],
    ['/v1/responses', { input: [{ role: 'user', content: 'x' }] }, true],
    ['/v1/responses', { input: 7 }, false],
    ['/v1/responses', { input: 'x', truncation: 'all' }, false],
  ]
  for (const [path, body, allowed] of cases) {
    const pattern = path.replace(/^(\/api\/tools\/)\w+/, '$1{tool}').replace(/^(\/api\/subjects\/)\w+/, '$1{subject}')
    const { content } = document.paths[pattern]!['post']!.requestBody!
    const name = `${path} ${JSON.stringify(body)}`
    assert.equal(validator(content['application/json']!.schema)(body), allowed, name)
    assert.equal((await doors.request(path, { body })).status < 300, allowed, name)
  }
})

test('the endpoints answer as the OpenAPI document says', async () => {
  const { session, turn } = await doors.json('/api/messages', { body: { text: 'hello' } })
  await doors.request(`/api/sessions/${session}/turns/${turn}?wait=5000`)
  const agent = (await doors.json<{ id: string }>('/api/agents', { body: { name: 'Reader', reminder: 'Read.' } })).id
  const project = (await doors.json<{ id: string }>('/api/projects', { body: { name: 'Sea' } })).id
  const body = { name: 'review', text: 'Review {{what}}.' }
  const template = (await doors.json<{ id: string }>('/api/templates', { body })).id
  const file = await handedIn()
  const proposal = await proposed()
  const things = { agent, project, template, file, subject: 'IMG_2', proposal }
  const values: Record<string, string> = {
    session,
    turn,
    call: `call-${turn}`,
    id: 'chat',
    model: 'rehearsal',
    response: `resp_${session}.${turn}`,
    ...things,
  }
  const queries: Record<string, string> = {
    '/api/diff': '?before=a&after=b',
    '/api/search': '?q=spring',
    '/api/search/history': '?q=boat',
  }
  let checked = 0
  for (const [pattern, { get }] of Object.entries(document.paths)) {
    const schema = get?.responses['200']?.content?.['application/json']?.schema
    if (schema === undefined) continue
    const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name]!)
    const answer = await doors.json<unknown>(`${path}${queries[pattern] ?? ''}`)
    const valid = validator(schema)
    assert.ok(valid(answer), `${path}: ${JSON.stringify(valid.errors)} ${JSON.stringify(answer).slice(0, 300)}`)
    checked += 1
  }
  assert.ok(checked > 12)
  const refused = await doors.json<unknown>('/api/sessions/none')
  const { schema } = document.paths['/api/sessions']!['get']!.responses['default']!.content!['application/json']!
  assert.ok(validator(schema!)(refused))
})

test('a form with files is described as one', () => {
  const { content, required } = document.paths['/api/files']!['post']!.requestBody!
  const { properties } = content['multipart/form-data']!.schema as { properties: Record<string, unknown> }
  assert.deepEqual([Object.keys(properties), required], [['session', 'project', 'agent', 'file'], true])
})

async function handedIn(): Promise<string> {
  const body = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nspring tide\r\n--x--\r\n'
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const { files } = await doors.json<{ files: readonly { id: string }[] }>('/api/files', { body, headers })
  return files[0]!.id
}

/** A subject with something in every field, and a proposal about it. */
async function proposed(): Promise<string> {
  const { subjects, proposals } = runtime
  await subjects.create('IMG_2', { brief: 'A pier at dawn.' })
  await subjects.logOperation('IMG_2', { op: 'crop', details: { left: 4 }, timestamp: '2026-11-20T10:00:00.000Z' })
  await subjects.logGap('IMG_2', { description: 'No word for haze.', timestamp: '2026-11-20T10:00:00.000Z' })
  const draft = { type: 'taste', name: 'Night', content: 'Keep the stars.', category: 'value' } as const
  return (await proposals.propose(draft, { tool: 'propose_taste_update' })).id
}
