import { randomBytes } from 'node:crypto'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { openGatewayTokens } from '../../src/runtime.ts'
import { RuntimeError } from '../../src/capability.ts'
import { type HttpErrorCode, httpStatus } from '../../src/server/failure.ts'
import { openaiCodes } from '../../src/capabilities/openai-api/http/openai-failure.ts'
import { openedHome } from '../home/opened-home.ts'
import { cellsOf } from '../guide/written-table.ts'
import { errorsInGuide, errorTable, httpErrorCodes } from './error-table.ts'
import { scriptedRuntime } from './scripted-runtime.ts'
import { type RequestOptions, served } from './served.ts'
import { systemClock } from '../../src/platform.ts'

const root = join(import.meta.dirname, '..', '..')

test('the guide lists every code of the gateway, with its status and its name under /v1', () => {
  assert.deepEqual(
    cellsOf(errorsInGuide.inGuide()),
    cellsOf(errorTable()),
    'docs/guide/http.md: run `node --conditions=foreword-source test/server/error-table.ts`',
  )
})

/** Failures that take a broken disk or a clock to reach: where they are made, and where that is tested. */
const elsewhere: Partial<Record<HttpErrorCode, readonly [made: string, tested: string]>> = {
  internal: ['src/server/failure.ts', 'test/server/entry-points.test.ts'],
  storage: ['src/runtime/failure.ts', 'test/runtime/storage.test.ts'],
  'storage-full': ['src/runtime/failure.ts', 'test/runtime/storage.test.ts'],
  'storage-damaged': ['src/runtime/ledger/ledger.ts', 'test/cli-doctor.test.ts'],
  overloaded: ['src/runtime/sessions/admission.ts', 'test/runtime/queue.test.ts'],
  'over-quota': ['src/capabilities/files/file-room.ts', 'test/people/file-room.test.ts'],
  'missing-content': ['src/runtime/calls/call-input.ts', 'test/server/entry-points.test.ts'],
  unwritable: ['src/platform/file-lock.ts', 'src/capabilities/subjects/core/subject-files.test.ts'],
  'over-budget': ['src/agent/hold-model-call.ts', 'test/runtime/budgets.test.ts'],
  'no-answer': ['src/agent/answer.ts', 'test/runtime/notes-summaries.test.ts'],
  closing: ['src/server/event-stream.ts', 'test/server/listening.test.ts'],
  standby: ['src/server/forward-to-gateway.ts', 'test/takeover.slow.ts'],
  'sign-in-failed': ['src/server/sign-in/provider.ts', 'test/server/sign-in-proofs.test.ts'],
  'sign-in-denied': ['src/server/sign-in/sign-in.ts', 'test/server/sign-in-proofs.test.ts'],
  'sign-in-unavailable': ['src/server/sign-in/limited-fetch.ts', 'test/server/sign-in-proofs.test.ts'],
}

/** Failures of a provider, which `rehearsal` plays. */
const ofProviders = [
  'bad-request',
  'unsupported-parameter',
  'model-not-found',
  'context-overflow',
  'content-filter',
  'rate-limit',
  'quota',
  'cancelled',
  'auth',
  'network',
  'server',
  'prompt-truncated',
  'unexpected-answer',
  'timeout',
] as const satisfies readonly HttpErrorCode[]

test('every code can be reached, with its own status, and no answer has another one', async (t) => {
  const ask = await gateway(t)
  const reached = new Set<string>()
  const reach = async (code: HttpErrorCode, path: string, options?: RequestOptions): Promise<void> => {
    const response = await ask(path, options)
    const { error } = (await response.json()) as { error: { code: string } }
    assert.deepEqual([response.status, error.code], [httpStatus(code), code], path)
    reached.add(code)
  }
  const made = await ask('/api/agents', { body: { name: 'Poet', prompt: 'Rhyme.' } })
  const agent = (await made.json()) as { id: string }
  await ask('/api/subjects', { body: { id: 'reef' } })
  await ask('/api/messages', { body: { text: 'one' }, headers: { 'idempotency-key': 'k' } })
  await reach('invalid-input', '/api/messages', { body: { text: 7 } })
  await reach('invalid-input', '/api/subjects', { body: { id: '../reef' } })
  await reach('unauthorized', '/api/status', { headers: { authorization: '' } })
  const named = await (await ask('/api/tokens', { body: { name: 'reader', scope: 'read' } })).json()
  const reader = { authorization: `Bearer ${(named as { token: string }).token}` }
  await reach('forbidden', '/api/messages', { body: { text: 'one' }, headers: reader })
  const guesses = Array.from({ length: 20 }, () => ask('/api/status', { headers: { authorization: 'Bearer guess' } }))
  assert.ok((await Promise.all(guesses)).some(({ status }) => status === httpStatus('too-many-attempts')))
  reached.add('too-many-attempts')
  await reach('host-not-allowed', '/api/status', { headers: { host: 'evil.example' } })
  await reach('origin-not-allowed', '/api/status', { headers: { origin: 'https://evil.example' } })
  for (const [path, options] of nowhere) await reach('not-found', path, options)
  await reach('method-not-allowed', '/api/sessions', { method: 'DELETE' })
  await reach('key-reused', '/api/messages', { body: { text: 'two' }, headers: { 'idempotency-key': 'k' } })
  await reach('exists', '/api/subjects', { body: { id: 'reef' } })
  await ask(`/api/agents/${agent.id}`, { method: 'PATCH', body: { prompt: 'Rhyme more.' } })
  await reach('changed', `/api/agents/${agent.id}`, { method: 'PATCH', body: { prompt: 'Rhyme less.', after: 1 } })
  await reach('decided', '/api/tools/read_file/accept', { body: { digest: 'a'.repeat(64) } })
  await reach('body-too-large', '/api/messages', { body: { text: 'x'.repeat(5_000) } })
  await reach('unsupported-media-type', '/api/messages', {
    body: 'text=one',
    headers: { 'content-type': 'text/plain' },
  })
  await reach('file-too-large', '/api/files', form('large.txt', 'x'.repeat(5_000)))
  const { files } = (await (await ask('/api/files', form('a.bin', '\0\u0001\0'))).json()) as { files: { id: string }[] }
  await ask(`/api/files/${files[0]!.id}?wait=60000`)
  await reach('no-text', `/api/files/${files[0]!.id}/text`)
  for (const code of ofProviders) {
    const response = await ask('/v1/chat/completions', { body: asked(`/fail ${code}`) })
    const { error } = (await response.json()) as { error: { code: string } }
    const status = httpStatus(code)
    const openai = openaiCodes[code]
    assert.deepEqual([response.status, error.code], [openai?.status ?? status, openai?.code ?? code], code)
    assert.equal(response.headers.has('retry-after'), status === 429, code)
    reached.add(code)
  }
  const others = httpErrorCodes.filter((code) => !reached.has(code))
  assert.deepEqual(others.toSorted(), Object.keys(elsewhere).toSorted(), 'codes that nothing reaches leave the table')
  for (const code of others) await assertMadeElsewhere(code)
})

const asked = (content: string) => ({ model: 'foreword', messages: [{ role: 'user', content }] })

/** Every kind of thing that may not be there. */
const nowhere: readonly (readonly [path: string, options?: RequestOptions])[] = [
  ['/api/nothing'],
  ['/api/sessions/'],
  ['/api/proposals//decision', { body: {} }],
  ['/api/sessions/none'],
  ['/api/sessions/none/turns/none'],
  ['/api/calls/none/manifest'],
  ['/api/agents/none'],
  ['/api/projects/none'],
  ['/api/files/none'],
  ['/api/subjects/none'],
  ['/api/subjects/none/context'],
  ['/api/sessions', { body: { subject: 'none' } }],
  ['/api/sessions', { body: { agent: 'none' } }],
  ['/api/proposals/none'],
  ['/api/approvals/none', { body: { decision: 'deny', digest: 'a'.repeat(64) } }],
  ['/api/tools/none/plan', { body: { input: {} } }],
  ['/api/pairings/telegram/5', { method: 'DELETE' }],
]

function form(name: string, text: string): RequestOptions {
  const boundary = 'x0x0x'
  const head = `Content-Disposition: form-data; name="file"; filename="${name}"`
  return {
    body: `--${boundary}\r\n${head}\r\n\r\n${text}\r\n--${boundary}--\r\n`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}

/** A whole gateway with narrow limits, and nothing that waits. */
async function gateway(t: TestContext) {
  const narrow = { files: { maxBytes: 4_000 }, agent: { retryForMs: 0 } }
  const { runtime, home } = await openedHome(t, {}, narrow)
  const tokens = openGatewayTokens({ clock: systemClock, home, store: runtime.store, random: randomBytes })
  return served(runtime, { maxBodyBytes: 1_024, tokens }).request
}

/** Thrown where it is said, tested where it is said, and answered with its status. */
async function assertMadeElsewhere(code: HttpErrorCode): Promise<void> {
  for (const file of elsewhere[code]!) {
    const knows = new RegExp(`['"]${code}['"]`).test(readFileSync(join(root, file), 'utf8'))
    assert.ok(knows, `${file} does not know ${code}`)
  }
  if (code === 'unwritable') return
  const refuse = new RuntimeError(code as 'internal', 'so it is')
  const { status } = await served(scriptedRuntime({ refuse })).request('/api/messages', { body: { text: 'hi' } })
  assert.equal(status, httpStatus(code))
}
