import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { o200k } from '../../src/context/o200k.ts'
import type { Runtime } from '../home/features.ts'
import { StoreError } from '../../src/session.ts'
import { connected, type Reply } from './clients.ts'
import { mcpHome, oneSubject } from './mcp-home.ts'

const modern = 'v2 2026-07-28'
const error = ({ isError, envelope }: Reply) => ({ isError, success: envelope.success, ...envelope.error })

test('an unknown subject is not_found, in the envelope and as an error, as text and as data', async (t) => {
  const home = await mcpHome(t)
  const { call } = await connected(t, home, modern, 'http')
  for (const tool of ['read_context', 'read_full_notes']) {
    const reply = await call(tool, { image_id: 'nobody' })
    const { code, recoverable, isError, success, message } = error(reply)
    assert.deepEqual(
      { code, recoverable, isError, success },
      { code: 'not_found', recoverable: true, isError: true, success: false },
    )
    assert.match(message!, /nobody/)
    assert.equal(reply.envelope.data, null)
    assert.deepEqual(JSON.parse(reply.texts[0]!), reply.envelope)
  }
  for (const [tool, rest] of [
    ['log_operation', { op: 'crop' }],
    ['log_gap', { description: 'x' }],
    ['propose_notes_update', { content: 'x' }],
  ] as const) {
    assert.equal(error(await call(tool, { image_id: 'nobody', ...rest })).code, 'not_found', tool)
  }
})

test('input that is missing, wrong, unknown or no id is invalid_input, with a sentence that names it', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const { call } = await connected(t, home, modern, 'http')
  const wrong: readonly (readonly [string, object, RegExp])[] = [
    ['read_context', {}, /image_id/],
    ['read_context', { image_id: 7 }, /image_id/],
    ['read_context', { image_id: '../one' }, /image_id/],
    ['read_context', { image_id: 'one', shell: 'ls' }, /shell/],
    ['read_full_notes', { image_id: 'one', offset: -1 }, /offset/],
    ['log_operation', { image_id: 'one' }, /op/],
    ['log_gap', { image_id: 'one', description: '' }, /description/],
    ['propose_taste_update', { content: 'x' }, /category/],
    ['propose_taste_update', { content: 'x', category: 'value', file: '../../config.json' }, /file/],
    ['propose_notes_update', { image_id: 'one', content: '  ' }, /content/],
    ['assemble', {}, /current|budget/],
    ['assemble', { budget: { window: 10 }, current: { id: 't', messages: [] }, counter: 'fingers' }, /fingers/],
  ]
  for (const [tool, input, expected] of wrong) {
    const { code, message, recoverable } = error(await call(tool, input))
    assert.deepEqual({ code, recoverable }, { code: 'invalid_input', recoverable: true }, `${tool} ${message}`)
    assert.match(message!, expected)
  }
  assert.deepEqual(await home.runtime.proposals.list(), [])
})

test('a tool that nobody knows is an error of the protocol', async (t) => {
  const home = await mcpHome(t)
  for (const kind of ['v2 2026-07-28', 'v1 2025-11-25'] as const) {
    const { call } = await connected(t, home, kind, 'http')
    await assert.rejects(call('confirm_proposal', {}), /There is no tool "confirm_proposal"/)
  }
})

test('no tool confirms, declines or undoes a proposal', async (t) => {
  const home = await mcpHome(t)
  const { client } = await connected(t, home, modern, 'http')
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.filter(({ name }) => /confirm|decline|decide|undo|approve/.test(name)),
    [],
  )
})

test('every tool says what it changes, and the schema of what it answers', async (t) => {
  const home = await mcpHome(t)
  const { client } = await connected(t, home, modern, 'http')
  const { tools } = await client.listTools()
  const hints = tools.map(({ name, annotations, outputSchema, title }) => {
    assert.ok(title)
    assert.deepEqual(outputSchema?.required, ['success', 'data', 'error'], name)
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations ?? {}
    return [name, readOnlyHint, destructiveHint, idempotentHint, openWorldHint]
  })
  assert.deepEqual(hints, [
    ['read_context', true, false, true, false],
    ['read_full_notes', true, false, true, false],
    ['log_operation', false, false, false, false],
    ['log_gap', false, false, false, false],
    ['propose_taste_update', false, false, true, false],
    ['propose_notes_update', false, false, true, false],
    ['context_of_call', true, false, true, false],
    ['costs', true, false, true, false],
    ['explain_last_call', true, false, true, false],
    ['assemble', true, false, true, false],
  ])
})

test('what every call of a client pays for all tools stays below 1,450 tokens, and for assemble below 200', async (t) => {
  const home = await mcpHome(t)
  const { client } = await connected(t, home, modern, 'http')
  const { tools } = await client.listTools()
  const paid = tools.map(({ name, description, inputSchema }) =>
    o200k.text(JSON.stringify({ name, description, inputSchema })),
  )
  const all = paid.reduce((sum, tokens) => sum + tokens, 0)
  assert.ok(all < 1_450 && paid.at(-1)! < 200, JSON.stringify(paid))
})

test('assemble refuses what the whole schema of a scenario refuses, and names it, whatever its short one leaves out', async (t) => {
  const home = await mcpHome(t)
  const { call } = await connected(t, home, modern, 'http')
  const turn = { id: 't', messages: [{ role: 'user', content: 'x' }] }
  for (const [input, named] of [
    [{ budget: { window: 'large' }, current: turn }, /budget\.window/],
    [{ budget: { window: 10 }, current: turn, layers: [{ id: 'a', layer: 'b' }] }, /layers/],
    [{ budget: { window: 10 }, current: turn, tool: [] }, /tool/],
    [{ budget: { window: 10 } }, /current/],
  ] as const) {
    const { isError, envelope } = await call('assemble', input)
    assert.deepEqual([isError, envelope.error!.code], [true, 'invalid_input'])
    assert.match(JSON.stringify(envelope.error), named)
  }
})

test('a fresh subject has everything, and all of it is empty', async (t) => {
  const home = await mcpHome(t)
  mkdirSync(join(home.home, 'subjects/fresh'), { recursive: true })
  const { call } = await connected(t, home, modern, 'http')
  const reply = await call('read_context', { subject_id: 'fresh' })
  assert.deepEqual(reply.data, {
    tastes: { default: '', genres: {}, conflicts: [] },
    brief: { raw: '', intent: '', tastes: [] },
    notes: { summary: '', truncated: false },
    recent_log: [],
    recent_gaps: [],
  })
  assert.deepEqual(Object.keys(reply.envelope), ['success', 'data', 'error'])
})

test('a broken subject is read as far as possible, with its problems as text and as data', async (t) => {
  const home = await mcpHome(t, {
    files: {
      'subjects/broken/log.jsonl': '{"op":"open"}\n{"op":\n[1]\n',
      'subjects/broken/vocabulary_gaps.jsonl': '\u0000\n',
    },
  })
  for (const kind of [modern, 'v1 2025-11-25'] as const) {
    const { call } = await connected(t, home, kind, 'http')
    const { data, envelope, texts } = await call('read_context', { image_id: 'broken' })
    assert.deepEqual(data.recent_log, [{ timestamp: '', op: 'open', details: {} }])
    assert.deepEqual(Object.keys(data), ['tastes', 'brief', 'notes', 'recent_log', 'recent_gaps'])
    const { warnings } = envelope as { warnings?: readonly string[] }
    assert.deepEqual(
      warnings?.map((text) => /log\.jsonl|vocabulary_gaps\.jsonl/.exec(text)?.[0]),
      ['log.jsonl', 'vocabulary_gaps.jsonl'],
    )
    assert.deepEqual(texts, [JSON.stringify(envelope)])
  }
})

test('long notes are read page by page', async (t) => {
  const notes = Array.from({ length: 100 }, (_, at) => `line ${at + 1}`).join('\n')
  const home = await mcpHome(t, { files: { 'subjects/long/notes.md': notes } })
  const { call } = await connected(t, home, modern, 'http')
  assert.equal((await call('read_context', { image_id: 'long' })).data.notes!.truncated, true)
  const pages: string[] = []
  for (let offset: number | null = 0; offset !== null;) {
    const { data } = await call('read_full_notes', { image_id: 'long', offset, limit: 30 })
    pages.push(data.text!)
    offset = data.next_offset ?? null
  }
  assert.equal(pages.length, 4)
  assert.equal(pages.join('').replaceAll('\n', ''), notes.replaceAll('\n', ''))
})

test('a fault inside is internal and tells nothing of the inside; the log has all of it', async (t) => {
  const around = (runtime: Runtime): Runtime => ({
    ...runtime,
    subjects: { ...runtime.subjects, context: () => Promise.reject(new Error('/home/somebody/secret is broken')) },
  })
  const home = await mcpHome(t, { files: oneSubject, around })
  const { call, client } = await connected(t, home, modern, 'http')
  const reply = await call('read_context', { image_id: 'one' })
  assert.deepEqual([error(reply).code, error(reply).recoverable], ['internal', false])
  assert.doesNotMatch(JSON.stringify(reply), /secret|somebody|at /)
  await assert.rejects(client.readResource({ uri: 'foreword://subjects/one' }), (failure: Error) => {
    assert.doesNotMatch(failure.message, /secret|somebody/)
    return true
  })
  assert.equal(home.faults.length, 2)
})

test('a store that another process has locked is unavailable, and the reply says what to do', async (t) => {
  const busy = new StoreError('busy', 'another process has locked the store: try again when it is done')
  const around = (runtime: Runtime): Runtime => ({
    ...runtime,
    store: { ...runtime.store, transaction: () => Promise.reject(busy) },
  })
  const home = await mcpHome(t, { files: oneSubject, around })
  const { call } = await connected(t, home, modern, 'http')
  const { code, message } = error(await call('log_operation', { image_id: 'one', op: 'crop' }))
  assert.deepEqual([code, message], ['unavailable', busy.message])
  assert.deepEqual(home.faults, [])
})

const forbidden: readonly (readonly [string, object | string, readonly string[], RegExp])[] = [
  ['names a tool', { tools: { log_gap: { enabled: false } } }, ['log_gap'], /Tool disabled in config: log_gap/],
  ['asks for each call', { tools: { log_gap: { approval: 'ask' } } }, ['log_gap'], /tools\.log_gap\.approval/],
  ['names tools by a pattern', { tools: { 'log_*': { enabled: false } } }, ['log_gap'], /in config: log_gap/],
  ['asks by a pattern', { tools: { 'log_*': { approval: 'ask' } } }, ['log_gap'], /tools\.log_\*\.approval/],
  ['switches all tools off', { global: { enabled: false } }, ['log_gap', 'read_context', 'assemble'], /enabled=false/],
  ['is in the mode off', { global: { mode: 'off' } }, ['log_gap', 'read_context'], /mode=off/],
  ['is faulty', '{"glob": 1}', ['log_gap', 'read_context', 'assemble'], /tool-access\.json is faulty/],
]
for (const [does, access, refused, reason] of forbidden) {
  test(`where tool-access.json ${does}, what it forbids is not listed and is refused`, async (t) => {
    const text = typeof access === 'string' ? access : JSON.stringify(access)
    const home = await mcpHome(t, { files: { ...oneSubject, 'tool-access.json': text } })
    const { client, call } = await connected(t, home, modern, 'http')
    const listed = (await client.listTools()).tools.map(({ name }) => name)
    for (const name of refused) {
      assert.ok(!listed.includes(name), name)
      const { code, message } = error(await call(name, { image_id: 'one', description: 'x' }))
      assert.equal(code, 'unavailable')
      assert.match(message!, reason)
    }
    const records = await home.runtime.store.audit({ decision: 'refused' })
    assert.deepEqual(
      records.map(({ tool }) => tool),
      refused,
    )
  })
}

test('an allowlist that does not name them forbids none of these tools; a change holds for the next call', async (t) => {
  const home = await mcpHome(t, {
    files: { ...oneSubject, 'tool-access.json': '{"global": {"mode": "allowlist", "allowedTools": ["other"]}}' },
  })
  const { client, call } = await connected(t, home, modern, 'http')
  assert.equal((await client.listTools()).tools.length, 10)
  assert.equal((await call('log_operation', { image_id: 'one', op: 'crop' })).isError, false)
  writeFileSync(join(home.home, 'tool-access.json'), '{"tools": {"log_operation": {"enabled": false}}}')
  assert.equal(error(await call('log_operation', { image_id: 'one', op: 'crop' })).code, 'unavailable')
})
