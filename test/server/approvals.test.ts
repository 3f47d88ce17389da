import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as immediately } from 'node:timers/promises'
import { openGatewayTokens, type WaitingApproval } from '../../src/runtime.ts'
import { scriptedRuntime, withApproval } from './scripted-runtime.ts'
import { type Accepted, eventsOf, type Served, served } from './served.ts'
import { systemClock } from '../../src/platform.ts'

interface Refusal {
  readonly error: { readonly code: string }
}

/** A turn that waits for a person. */
async function asked(
  options: Parameters<typeof served>[1] = {},
): Promise<{ doors: Served; turn: Accepted; waits: WaitingApproval }> {
  const doors = served(scriptedRuntime({ script: withApproval }), options)
  const turn = await doors.json('/api/messages', { body: { text: 'write it' } })
  for (;;) {
    const [waits] = (await doors.json<{ approvals: WaitingApproval[] }>('/api/approvals')).approvals
    if (waits) return { doors, turn, waits }
    await immediately()
  }
}

async function entriesOf({ doors, turn }: { doors: Served; turn: Accepted }) {
  const events = await eventsOf(await doors.request(`/api/sessions/${turn.session}/events?turn=${turn.turn}`))
  return events.flatMap(({ data }) => (data.entry === undefined ? [] : [data.entry as Record<string, unknown>]))
}

test('what waits is listed with everything that a person has to see', async () => {
  const { turn, waits } = await asked()
  assert.deepEqual(waits, {
    approval: 'approval-1',
    session: turn.session,
    turn: turn.turn,
    toolCallId: 'tool-1',
    time: '2026-11-20T10:00:00.000Z',
    rule: 'tools.write_file.approval=ask',
    request: {
      tool: 'write_file',
      input: { path: 'a.txt', text: 'two' },
      folder: '/work',
      diff: '-one\n+two\n',
    },
    digest: 'digest-of-approval-1',
  })
})

test('an approved call runs, and the log says who approved it for how long', async () => {
  const { doors, turn, waits } = await asked()
  const answer = await doors.json(`/api/approvals/${waits.approval}`, {
    body: { decision: 'approve', scope: 'session', digest: waits.digest, by: 'cli' },
  })
  assert.deepEqual(answer, { approval: waits.approval, decision: 'approve' })
  const entries = await entriesOf({ doors, turn })
  const approval = entries.find(({ type }) => type === 'approval')!
  assert.deepEqual([approval['decision'], approval['by']], [{ type: 'approve', scope: 'session' }, 'cli'])
  assert.ok(entries.some(({ type }) => type === 'tool-end'))
  assert.deepEqual(await doors.json('/api/approvals'), { approvals: [] })
})

test('a decision with a named token is that of the token, whatever it says of itself', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'foreword-approvals-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const tokens = openGatewayTokens({
    clock: systemClock,
    home,
    store: { transaction: async () => [], value: async () => undefined },
    random: randomBytes,
  })
  const { token } = await tokens.named.make({ name: 'phone', scope: 'approve' }, 'test')
  const { doors, turn, waits } = await asked({ tokens })
  const body = { decision: 'approve', digest: waits.digest, by: 'cli' }
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await doors.request(`/api/approvals/${waits.approval}`, { body, headers })).status, 200)
  const entries = await entriesOf({ doors, turn })
  assert.equal(entries.find(({ type }) => type === 'approval')!['by'], 'token:phone')
})

test('a denied call does not run, and the model reads why', async () => {
  const { doors, turn, waits } = await asked()
  await doors.json(`/api/approvals/${waits.approval}`, {
    body: { decision: 'deny', reason: ' not there ', digest: waits.digest },
  })
  const entries = await entriesOf({ doors, turn })
  const approval = entries.find(({ type }) => type === 'approval')!
  assert.deepEqual([approval['decision'], approval['by']], [{ type: 'deny', reason: 'not there' }, 'http'])
  assert.ok(!entries.some(({ type }) => type === 'tool-start'))
})

test('a decision about something else, a second one, and one about nothing are refused', async () => {
  const { doors, waits } = await asked()
  const decide = async (approval: string, body: unknown) => {
    const response = await doors.request(`/api/approvals/${approval}`, { body })
    return [response.status, response.ok ? undefined : ((await response.json()) as Refusal).error.code]
  }
  const approve = { decision: 'approve', digest: waits.digest }
  assert.deepEqual(await decide(waits.approval, { ...approve, digest: 'other' }), [409, 'decided'])
  assert.deepEqual(await decide('approval-9', approve), [404, 'not-found'])
  for (const wrong of [
    { decision: 'approve' },
    { decision: 'maybe', digest: waits.digest },
    { ...approve, scope: 'forever' },
    { ...approve, reason: 'because' },
    { ...approve, by: 'model' },
    { decision: 'deny', digest: waits.digest, scope: 'session' },
    {},
  ]) {
    assert.deepEqual(await decide(waits.approval, wrong), [400, 'invalid-input'], JSON.stringify(wrong))
  }
  assert.deepEqual(await decide(waits.approval, approve), [200, undefined])
  assert.deepEqual(await decide(waits.approval, approve), [409, 'decided'])
})

test('tools that are approved for a session are listed, and one is taken back', async () => {
  const { doors } = await asked()
  const { granted } = await doors.json<{ granted: readonly { tool: string }[] }>('/api/sessions/s/approvals')
  assert.deepEqual(
    granted.map(({ tool }) => tool),
    ['mail'],
  )
  assert.deepEqual(await doors.json('/api/sessions/s/approvals/mail', { method: 'DELETE' }), { revoked: 'mail' })
})
