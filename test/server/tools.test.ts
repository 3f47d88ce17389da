import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedRuntime } from './scripted-runtime.ts'
import { served } from './served.ts'

const doors = served(scriptedRuntime())

interface Refusal {
  readonly error: { readonly code: string; readonly message: string }
}

const refusal = async (path: string, body: unknown) => {
  const response = await doors.request(path, { body })
  return [response.status, ((await response.json()) as Refusal).error.code]
}

test('every tool is listed with what decided about it', async () => {
  const { tools } = await doors.json<{ tools: { name: string; access: string; rule: string }[] }>('/api/tools')
  assert.deepEqual(
    tools.map(({ name, access, rule }) => [name, access, rule]),
    [
      ['shell', 'ask', 'tools.shell.approval=ask'],
      ['files__read', 'refused', 'global.mode=allowlist'],
    ],
  )
})

test('a call is planned before it runs, and what was planned is what runs', async () => {
  const input = { cmd: 'git status' }
  const plan = await doors.json<{ type: string; digest: string; call: unknown }>('/api/tools/shell/plan', {
    body: { input },
  })
  assert.deepEqual(plan.call, { tool: 'shell', input, argv: ['git', 'status'], folder: '/work' })
  const result = await doors.json('/api/tools/shell/run', { body: { input, digest: plan.digest } })
  assert.deepEqual(result, { ok: true, output: 'clean', meta: { exitCode: 0 } })
  const other = { input: { cmd: 'git push' }, digest: plan.digest }
  assert.deepEqual(await refusal('/api/tools/shell/run', other), [409, 'decided'])
  assert.deepEqual(await refusal('/api/tools/shell/run', { input }), [400, 'invalid-input'])
})

test('a refusal is a plan that says why', async () => {
  assert.deepEqual(await doors.json('/api/tools/files__read/plan', { body: { input: {} } }), {
    type: 'refused',
    rule: 'not-allowed',
    error: 'Tool is not in allowlist: files__read',
  })
})

test('a tool that there is not is 404', async () => {
  assert.deepEqual(await refusal('/api/tools/nothing/plan', { input: {} }), [404, 'not-found'])
  assert.deepEqual(await refusal('/api/tools/shell/plan', {}), [400, 'invalid-input'])
})

test('a changed definition is accepted as it was shown, or not at all', async () => {
  const accept = { digest: 'digest-of-definition' }
  assert.deepEqual(await doors.json('/api/tools/files__read/accept', { body: accept }), { accepted: true })
  assert.deepEqual(await refusal('/api/tools/files__read/accept', { digest: 'other' }), [409, 'decided'])
  assert.deepEqual(await refusal('/api/tools/files__read/accept', {}), [400, 'invalid-input'])
})
