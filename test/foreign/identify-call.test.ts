import assert from 'node:assert/strict'
import test from 'node:test'
import { identifyCall } from '../../src/foreign.ts'
import { recordedCalls } from './recorded-calls.ts'

const post = (path: string, headers: Record<string, string> = {}) => ({ method: 'POST', path, headers })

test('a format is known by the end of its path, whatever is before it', () => {
  for (const [path, format] of [
    ['/v1/messages', 'messages'],
    ['/v1/messages?beta=true', 'messages'],
    ['/messages', 'messages'],
    ['/anthropic/v1/messages', 'messages'],
    ['/v1/messages/count_tokens', 'messages'],
    ['/v1/responses', 'responses'],
    ['/backend-api/codex/responses', 'responses'],
    ['/v1/chat/completions', 'chat-completions'],
    ['/openai/v1/chat/completions/', 'chat-completions'],
    ['/v1/embeddings', 'embeddings'],
    ['/v1/images/generations', undefined],
    ['/v1/messages/batches', undefined],
    ['/v1/responses/resp_1', undefined],
  ] as const) {
    assert.equal(identifyCall(post(path), {}).format, format, path)
  }
  assert.equal(identifyCall({ method: 'GET', path: '/v1/messages', headers: {} }, undefined).format, undefined)
})

test('Claude Code is known with its version, its session and its limit', () => {
  const [first, , , resumed] = recordedCalls('claude-code-session')
  assert.deepEqual(identifyCall(first!, first!.body), {
    format: 'messages',
    session: '9c251add-8de6-4f40-b97c-73894c7a33a4',
    model: 'claude-opus-5-5',
    maxOutputTokens: 128_000,
    client: { name: 'claude-code', version: '2.1.330' },
    kind: 'turn',
    stream: true,
  })
  assert.equal(identifyCall(resumed!, resumed!.body).session, '0a0058ab-c19f-4032-80e7-91ac8d61d824')
})

test('Codex is known with its thread and its turn, and its compaction by what it says of the request', () => {
  const [first] = recordedCalls('codex-session')
  assert.deepEqual(identifyCall(first!, first!.body), {
    format: 'responses',
    session: '01a202aa-987c-7d93-bd90-65e07a8ffc26',
    turn: '01a202aa-98cd-7f32-bdab-87e97781845f',
    model: 'gpt-5.1-codex',
    client: { name: 'codex', version: '0.169.0' },
    kind: 'turn',
    stream: true,
  })
  const kinds = recordedCalls('codex-compaction').map((call) => identifyCall(call, call.body).kind)
  assert.deepEqual(kinds, ['turn', 'compaction', 'turn'])
})

test('an agent that Claude Code started is a session within its session', () => {
  const headers = {
    'user-agent': 'claude-cli/2.1.330 (external, cli)',
    'x-claude-code-session-id': 's1',
    'x-claude-code-agent-id': 'a2',
  }
  const { session, parent, kind } = identifyCall(post('/v1/messages', headers), { messages: [] })
  assert.deepEqual({ session, parent, kind }, { session: 's1/a2', parent: 's1', kind: 'sub-agent' })
  const deeper = identifyCall(post('/v1/messages', { ...headers, 'x-claude-code-parent-agent-id': 'a1' }), {})
  assert.equal(deeper.parent, 's1/a1')
})

test('the session of Claude Code is also found in its user id, in both of its forms', () => {
  const headers = { 'user-agent': 'claude-cli/2.0.1' }
  const of = (user_id: string) => identifyCall(post('/v1/messages', headers), { metadata: { user_id } }).session
  assert.equal(of('{"device_id":"d","account_uuid":"","session_id":"1f2e3d4c"}'), '1f2e3d4c')
  assert.equal(of('user_abc_account__session_1f2e3d4c-0000'), '1f2e3d4c-0000')
  assert.equal(of('user_abc'), undefined)
})

test('calls that are no step of a conversation have a kind of their own', () => {
  const claude = { 'user-agent': 'claude-cli/2.1.330 (external, cli)' }
  const kind = (path: string, headers: Record<string, string>, body: unknown) =>
    identifyCall(post(path, headers), body).kind
  const says = (text: string, more = {}) => ({ messages: [{ role: 'user', content: text }], ...more })
  assert.equal(kind('/v1/messages/count_tokens', claude, says('hello')), 'count')
  assert.equal(kind('/v1/responses/input_tokens', {}, {}), 'count')
  assert.equal(kind('/v1/messages', claude, says('quota', { max_tokens: 1 })), 'quota')
  assert.equal(
    kind(
      '/v1/messages',
      claude,
      says('x', { output_config: { format: { type: 'json_schema', schema: { properties: { title: {} } } } } }),
    ),
    'title',
  )
  assert.equal(
    kind('/v1/messages', claude, says('Your task is to create a detailed summary of the conversation so far')),
    'compaction',
  )
  assert.equal(
    kind('/v1/messages', claude, says('Please write a title for the following', { tools: [{ name: 'Bash' }] })),
    'turn',
  )
  assert.equal(kind('/v1/responses/compact', { originator: 'codex_cli_rs' }, { input: [] }), 'compaction')
  assert.equal(kind('/v1/responses', { originator: 'codex_cli_rs', 'x-openai-subagent': 'review' }, {}), 'sub-agent')
  assert.equal(kind('/v1/embeddings', {}, { input: 'hello' }), 'embedding')
  assert.equal(kind('/v1/images/generations', {}, { prompt: 'hello' }), 'other')
})

test('the path names the format, the model and the form of an answer where the body names none', () => {
  const of = (path: string, body: object = {}) => {
    const { format, model, stream, kind, maxOutputTokens } = identifyCall(post(path, {}), body)
    return [format, model, stream, kind, maxOutputTokens]
  }
  const two = { generationConfig: { maxOutputTokens: 100, candidateCount: 2 } }
  const google = '/v1/projects/p/locations/l/publishers/google/models'
  const claude = '/v1/projects/p/locations/l/publishers/anthropic/models'
  for (const [path, body, identity] of [
    ['/v1beta/models/g-1:generateContent', two, ['generate-content', 'g-1', false, 'turn', 200]],
    ['/v1beta/models/g-1:streamGenerateContent?alt=sse', {}, ['generate-content', 'g-1', true, 'turn', undefined]],
    [
      '/v1beta/models/g-1:streamGenerateContent?key=…&alt=sse',
      {},
      ['generate-content', 'g-1', true, 'turn', undefined],
    ],
    // A list of whole answers.
    ['/v1beta/models/g-1:streamGenerateContent', {}, ['generate-content', 'g-1', false, 'turn', undefined]],
    ['/v1beta/models/g-1:countTokens', {}, ['generate-content', 'g-1', false, 'count', undefined]],
    [`${google}/g-1:streamGenerateContent?alt=sse`, {}, ['generate-content', 'g-1', true, 'turn', undefined]],
    [
      `${claude}/claude-x@1:streamRawPredict`,
      { stream: true, max_tokens: 9 },
      ['messages', 'claude-x@1', true, 'turn', 9],
    ],
    [`${claude}/count-tokens:rawPredict`, { model: 'claude-x' }, ['messages', 'claude-x', false, 'count', undefined]],
    [
      '/openai/deployments/d-1/chat/completions?api-version=1',
      {},
      ['chat-completions', 'd-1', false, 'turn', undefined],
    ],
    ['/openai/deployments/d-1/embeddings?api-version=1', {}, ['embeddings', 'd-1', false, 'embedding', undefined]],
    ['/v1beta/models/g-1:embedContent', {}, [undefined, 'g-1', false, 'other', undefined]],
  ] as const) {
    assert.deepEqual(of(path, body), identity, path)
  }
})

test('opencode names the session that started another one', () => {
  const headers = {
    'user-agent': 'opencode/1.4.2 ai-sdk/provider-utils/4.0.1',
    'x-session-id': 'ses_2',
    'x-parent-session-id': 'ses_1',
  }
  const { client, session, parent, kind } = identifyCall(post('/v1/messages', headers), { messages: [] })
  assert.deepEqual(
    { client, session, parent, kind },
    { client: { name: 'opencode', version: '1.4.2' }, session: 'ses_2', parent: 'ses_1', kind: 'sub-agent' },
  )
  const title = { messages: [{ role: 'system', content: 'You are a title generator. You …' }] }
  assert.equal(identifyCall(post('/v1/chat/completions', { 'user-agent': 'opencode/1.4.2' }), title).kind, 'title')
})

test('a client without a header of its own is known by its system prompt, and any other by its user agent', () => {
  const agent = (headers: Record<string, string>, body: unknown = {}) =>
    identifyCall(post('/v1/messages', headers), body).client
  const prompt = 'You are an expert coding assistant operating inside pi, a coding agent harness. …'
  assert.deepEqual(agent({ 'user-agent': 'OpenAI/JS 6.10.0' }, { system: prompt }), { name: 'pi' })
  assert.deepEqual(agent({ 'user-agent': 'OpenAI/JS 6.10.0' }), { name: 'openai' })
  assert.deepEqual(agent({ 'user-agent': 'curl/8.5.0' }), { name: 'curl', version: '8.5.0' })
  assert.deepEqual(agent({}), { name: 'unknown' })
})

test('no body and no header make it fail', () => {
  for (const body of [
    undefined,
    null,
    7,
    'text',
    [],
    { messages: 7 },
    { messages: [null, 7, { content: [null] }] },
    { input: {} },
  ]) {
    const identity = identifyCall(post('/v1/messages', { 'user-agent': '\u0000/', 'x-codex-turn-metadata': '{' }), body)
    assert.equal(identity.kind, 'turn')
  }
})
