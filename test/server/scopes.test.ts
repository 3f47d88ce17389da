import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { includesScope, type Route, route, type TokenScope, tokenScopes } from '../../src/capability.ts'
import { builtIn } from '../../src/foreword.ts'
import { type HostedRuntime, loadConfiguration, openGatewayHomes, openGatewayTokens } from '../../src/runtime.ts'
import type { ServerOptions } from '../../src/server.ts'
import { createServer } from '../../src/server/create-server.ts'
import { openedHome } from '../home/opened-home.ts'
import { scriptedRuntime } from './scripted-runtime.ts'
import { served } from './served.ts'
import { systemClock } from '../../src/platform.ts'

/** What every endpoint of the product needs; `none`: no token. An endpoint that is not here fails the test. */
const needed: Readonly<Record<TokenScope | 'none', readonly string[]>> = {
  none: [
    'GET /',
    'GET /app/{file}',
    'GET /assets/{file}',
    'GET /diagram',
    'GET /favicon.svg',
    'GET /health',
    'GET /health/live',
    'GET /health/ready',
    'GET /preview',
    'GET /sessions/{session}',
    'GET /sessions/{session}/calls/{call}',
    'GET /settings',
    'GET /settings/{page}',
    'GET /sign-in',
    'GET /sign-in/done',
  ],
  read: [
    'GET /api/agents',
    'GET /api/agents/{agent}',
    'GET /api/agents/{agent}/versions',
    'GET /api/approvals',
    'GET /api/audit',
    'GET /api/audit/export',
    'GET /api/audit/key',
    'GET /api/audit/verify',
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
    'GET /api/context',
    'GET /api/costs',
    'GET /api/diff',
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
    'GET /api/skills',
    'GET /api/skills/{skill}',
    'GET /api/skills/{skill}/file',
    'GET /api/status',
    'GET /api/subjects',
    'GET /api/subjects/{subject}',
    'GET /api/subjects/{subject}/context',
    'GET /api/subjects/{subject}/notes',
    'GET /api/templates',
    'GET /api/templates/{template}',
    'GET /api/templates/{template}/versions',
    'GET /api/token',
    'GET /api/tools',
    'GET /api/usage',
    'GET /metrics',
    'POST /api/context',
    'POST /api/context/scenario',
    'POST /api/logout',
    'POST /api/skills/reach',
  ],
  talk: [
    'DELETE /api/files/{file}',
    'DELETE /api/sessions/{session}',
    'DELETE /api/sessions/{session}/memory',
    'DELETE /api/sessions/{session}/notes',
    'DELETE /v1/responses/{response}',
    'GET /v1/models',
    'GET /v1/models/{model}',
    'GET /v1/responses/{response}',
    'GET /v1/responses/{response}/input_items',
    'PATCH /api/sessions/{session}',
    'PATCH /api/sessions/{session}/turns/{turn}',
    'POST /api/chat',
    'POST /api/commands/{command}',
    'POST /api/files',
    'POST /api/messages',
    'POST /api/sessions',
    'POST /api/sessions/import',
    'POST /api/sessions/{session}/head',
    'POST /api/sessions/{session}/messages',
    'POST /api/sessions/{session}/notes',
    'POST /api/sessions/{session}/turns/{turn}/cancel',
    'POST /api/sessions/{session}/turns/{turn}/withdraw',
    'POST /api/sessions/{session}/undo',
    'POST /api/subjects',
    'POST /api/subjects/{subject}/gaps',
    'POST /api/subjects/{subject}/log',
    'POST /api/subjects/{subject}/summary',
    'POST /api/web-image',
    'POST /v1/chat/completions',
    'POST /v1/embeddings',
    'POST /v1/messages',
    'POST /v1/messages/count_tokens',
    'POST /v1/responses',
    'POST /v1/responses/compact',
    'POST /v1/responses/input_tokens',
    'POST /v1/responses/{response}/cancel',
  ],
  approve: [
    'DELETE /api/sessions/{session}/approvals/{tool}',
    'POST /api/approvals/{approval}',
    'POST /api/proposals/{proposal}/decision',
    'POST /api/proposals/{proposal}/undo',
  ],
  admin: [
    'DELETE /api/agents/{agent}',
    'DELETE /api/pairings/{channel}/{chat}',
    'DELETE /api/people/{person}',
    'DELETE /api/projects/{project}',
    'DELETE /api/prompt',
    'DELETE /api/schedules/{schedule}',
    'DELETE /api/templates/{template}',
    'DELETE /api/tokens/{name}',
    'GET /api/acceptance',
    'GET /api/backups',
    'GET /api/backups/{backup}/archive',
    'GET /api/configuration',
    'GET /api/doctor',
    'GET /api/doctor/security',
    'GET /api/mcp-servers',
    'GET /api/mcp-servers/versions',
    'GET /api/pairings',
    'GET /api/people',
    'GET /api/tokens',
    'GET /api/tool-access',
    'GET /api/tool-access/versions',
    'PATCH /api/agents/{agent}',
    'PATCH /api/people/{person}',
    'PATCH /api/projects/{project}',
    'PATCH /api/schedules/{schedule}',
    'PATCH /api/templates/{template}',
    'POST /api/acceptance',
    'POST /api/agents',
    'POST /api/agents/{agent}/restore',
    'POST /api/backups',
    'POST /api/mcp-servers/preview',
    'POST /api/mcp-servers/{server}/restart',
    'POST /api/pairings/code',
    'POST /api/people',
    'POST /api/people/{person}/invitation',
    'POST /api/projects',
    'POST /api/projects/{project}/restore',
    'POST /api/prompt/restore',
    'POST /api/reload',
    'POST /api/schedules',
    'POST /api/schedules/{schedule}/run',
    'POST /api/setup/providers',
    'POST /api/templates',
    'POST /api/templates/{template}/restore',
    'POST /api/token/replace',
    'POST /api/tokens',
    'POST /api/tool-access/preview',
    'POST /api/tools/{tool}/accept',
    'POST /api/tools/{tool}/plan',
    'POST /api/tools/{tool}/run',
    'PUT /api/mcp-servers',
    'PUT /api/prompt',
    'PUT /api/setup/fallback',
    'PUT /api/setup/model',
    'PUT /api/tool-access',
  ],
  mcp: [],
}

/** A provider that does not answer. */
const nowhere: ServerOptions['signIn'] = {
  openid: {
    issuer: 'https://id.example',
    clientId: 'foreword',
    scopes: [],
    groupsClaim: 'groups',
    nameClaim: 'preferred_username',
    hours: 1,
    allow: { emails: ['ann@reef.example'] },
  },
  fetch: async () => Promise.reject(new Error('there is no network')),
  secret: async () => undefined,
}

/** A whole gateway in memory, and a token of each scope. */
async function gateway(t: TestContext) {
  const { runtime, home } = await openedHome(t)
  const { configuration } = await loadConfiguration({ home, environment: {}, capabilities: builtIn })
  const known = { home, configuration, capabilities: builtIn, environment: {}, version: '0' }
  const { people, within } = await openGatewayHomes({ ...known, clock: systemClock, warn: () => {} })
  t.after(() => people.close())
  const tokens = await within(runtime as unknown as HostedRuntime)
  const made = await Promise.all(tokenScopes.map((scope) => tokens.named.make({ name: `a-${scope}`, scope }, 'test')))
  const bearers = new Map(made.map(({ scope, token }) => [scope, `Bearer ${token}`]))
  const { server, request, json: read } = served(runtime, { tokens, people, signIn: nowhere })
  t.after(() => server.endStreams())
  const ask = (scope: TokenScope, path: string, options: Parameters<typeof request>[1] = {}) =>
    request(path, { ...options, headers: { ...options.headers, authorization: bearers.get(scope)! } })
  return { ask, bearers, read, request, server, runtime }
}

interface Operations {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly security: readonly { token: string[] }[] }>>>
  >
}

test('every endpoint needs the scope that is written down for it, and no other scope is enough', async (t) => {
  const { ask, read } = await gateway(t)
  const { paths } = await read<Operations>('/api/openapi.json')
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({ method: method.toUpperCase(), path, security })),
  )
  const declared = Map.groupBy(operations, ({ security }) => security[0]?.token[0] ?? 'none')
  for (const [scope, names] of Object.entries(needed)) {
    const found = (declared.get(scope) ?? []).map(({ method, path }) => `${method} ${path}`).toSorted()
    assert.deepEqual(found, [...names], `endpoints that need ${scope}`)
  }
  for (const { method, path, security } of operations) {
    const wanted = security[0]?.token[0] as TokenScope | undefined
    for (const scope of tokenScopes) {
      const response = await ask(scope, path.replaceAll(/\{(\w+)\}/g, 'no-$1'), { method })
      const name = `${method} ${path} with ${scope}`
      if (wanted === undefined || includesScope(scope, wanted)) {
        // A browser that comes back from a provider and has not begun here is not let in, whatever token it has.
        if (path === '/sign-in/done') assert.match(await response.text(), /sign-in-failed|too-many-attempts/, name)
        else assert.ok(response.status !== 401 && response.status !== 403, `${name}: ${response.status}`)
        if (!response.bodyUsed) await response.body?.cancel()
        continue
      }
      const { error } = (await response.json()) as { error: Record<string, string> }
      assert.deepEqual([response.status, error['code'], error['scope']], [403, 'forbidden', wanted], name)
      assert.match(error['message']!, new RegExp(`needs a token of the scope ${wanted}, and a-${scope} has`))
      assert.match(error['hint']!, new RegExp(`foreword token new NAME --scope ${wanted}`))
    }
  }
})

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

test('MCP clients come in with a token for them, or with all rights, and with no other', async (t) => {
  const { ask } = await gateway(t)
  const headers = { accept: 'application/json, text/event-stream' }
  for (const scope of tokenScopes) {
    const response = await ask(scope, '/mcp', { body: initialize, headers })
    assert.equal(response.status, scope === 'mcp' || scope === 'admin' ? 200 : 403, scope)
    if (response.status === 403) assert.match(await response.text(), /foreword token new NAME --scope mcp/)
    else await response.body?.cancel()
  }
})

test('a connection of an MCP client is that of its token', async (t) => {
  const { ask } = await gateway(t)
  const headers = { accept: 'application/json, text/event-stream' }
  const begun = await ask('mcp', '/mcp', { body: initialize, headers })
  await begun.text()
  const id = begun.headers.get('mcp-session-id')!
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  const inIt = { body: list, headers: { ...headers, 'mcp-session-id': id } }
  assert.equal((await ask('admin', '/mcp', inIt)).status, 404)
  assert.equal((await ask('mcp', '/mcp', inIt)).status, 200)
})

test('a path that is written in another way, or asked for in another, needs the same scope', async (t) => {
  const { ask, bearers } = await gateway(t)
  const all = bearers.get('admin')!.slice('Bearer '.length)
  for (const path of [
    '/api/%74okens',
    '/api/tokens%2F',
    '/api/tokens/',
    '/api/./tokens',
    '/api//tokens',
    '/API/tokens',
    '/api\\tokens',
    '/health/../api/tokens',
    '/assets/..%2fapi/tokens',
    '/api/tokens;x=1',
    '/api/tokens%00',
    '/api/tokens?x=1',
    `/api/tokens?token=${all}`,
    `/api/tokens?access_token=${all}`,
    '/%61pi/doctor',
  ]) {
    const response = await ask('read', path)
    assert.ok([403, 404].includes(response.status), `${path}: ${response.status}`)
    assert.ok(!(await response.text()).includes('a-read","scope'))
  }
  assert.equal((await ask('read', '/api/%74okens')).status, 403)
  for (const [options, status] of [
    [{ method: 'HEAD' }, 403],
    [{ method: 'OPTIONS' }, 405],
    [{ headers: { 'x-http-method-override': 'POST' } }, 403],
    [{ headers: { 'x-original-url': '/health' } }, 403],
    [{ headers: { 'x-api-key': all } }, 403],
    [{ headers: { cookie: `token=${all}` } }, 403],
    [{ headers: { upgrade: 'websocket', connection: 'Upgrade' } }, 403],
  ] as const) {
    const response = await ask('read', '/api/tokens', options)
    assert.equal(response.status, status, JSON.stringify(options))
    assert.equal(response.headers.get('access-control-allow-origin'), null)
  }
})

test('a route that declares no scope is open to the owner and to all rights alone', async (t) => {
  const plain: Route = route('GET /tides', {
    tag: 'tides',
    summary: 'When the tide turns',
    answers: { 200: { description: 'The tide' } },
    handle: ({ caller }) => ({ by: caller.by }),
  })
  const { runtime, home } = await openedHome(t)
  const tokens = openGatewayTokens({ clock: systemClock, home, store: runtime.store, random: randomBytes })
  const contributions = [{ name: 'tides', routes: [plain, { ...plain, path: '/stars', needsToken: false as const }] }]
  const options = { token: 'the-owner', tokens, bind: '127.0.0.1', version: '0', contributions }
  const server = createServer(scriptedRuntime(), options)
  const ask = async (path: string, token?: string): Promise<unknown> => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const response = await server.fetch(new Request(`http://127.0.0.1/${path}`, { headers }))
    return response.ok ? ((await response.json()) as { by: string }).by : response.status
  }
  const { token: talker } = await tokens.named.make({ name: 'talker', scope: 'approve' }, 'test')
  const { token: keeper } = await tokens.named.make({ name: 'keeper', scope: 'admin' }, 'test')
  assert.deepEqual(
    [await ask('tides'), await ask('tides', talker), await ask('tides', keeper), await ask('tides', 'the-owner')],
    [401, 403, 'token:keeper', 'owner'],
  )
  assert.equal(await ask('stars'), 'nobody')
})

test('a command of a conversation may do no more than its caller', async (t) => {
  const { runtime, home } = await openedHome(t)
  const tokens = openGatewayTokens({ clock: systemClock, home, store: runtime.store, random: randomBytes })
  const run = async ({ ask }: { ask<Answer>(path: string): Promise<Answer> }): Promise<string> =>
    JSON.stringify(await ask('/api/acceptance'))
  const contributions = [{ name: 'tides', slashCommands: { keys: { summary: 'shows what waits', run } } }]
  const options = { token: 'the-owner', tokens, bind: '127.0.0.1', version: '0', contributions }
  const server = createServer(scriptedRuntime(), options)
  const { token } = await tokens.named.make({ name: 'talker', scope: 'talk' }, 'test')
  const asked = async (bearer: string): Promise<number> => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
    const request = new Request('http://127.0.0.1/api/commands/keys', { method: 'POST', headers, body: '{}' })
    return (await server.fetch(request)).status
  }
  assert.deepEqual([await asked(token), await asked('the-owner')], [403, 200])
})
