import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AuditFacts, type AuditRecord, examineAudit, openStore } from '../../src/session.ts'
import { scriptedRuntime } from './scripted-runtime.ts'
import { served } from './served.ts'
import { systemClock } from '../../src/platform.ts'

interface Page {
  readonly records: readonly AuditRecord[]
}

/** Six calls: odd ones of the session `a`, even ones of `b`, a minute apart. The third was refused. */
async function audited(context: TestContext) {
  const store = await openStore({ clock: systemClock, path: ':memory:' })
  context.after(() => store.close())
  await store.transaction(
    [1, 2, 3, 4, 5, 6].map((number) => ({
      type: 'audit',
      time: `2026-01-01T00:0${number}:00.000Z`,
      facts: factsOf(number),
    })),
  )
  const doors = served({ ...scriptedRuntime(), store, verifyAudit: (asked) => examineAudit(store, asked) })
  const numbers = async (query: string) =>
    (await doors.json<Page>(`/api/audit?${query}`)).records.map((record) => record.number)
  return { store, doors, numbers }
}

function factsOf(number: number): AuditFacts {
  const around = { session: number % 2 === 1 ? 'a' : 'b', turn: `t${number}`, tool: number > 4 ? 'read_file' : 'shell' }
  if (number === 3) return { kind: 'decision', ...around, decision: 'refused', rule: 'tools.shell.enabled=false' }
  return { kind: 'call', ...around, decision: 'allowed', argv: ['ls', String(number)], ok: true, exitCode: 0 }
}

test('records are read whole, as the store has them', async (context) => {
  const { store, doors } = await audited(context)
  assert.deepEqual(await doors.json<Page>('/api/audit'), { records: await store.audit() })
})

test('records are found by what they say, in pages, and the newest of them', async (context) => {
  const { numbers } = await audited(context)
  const asked: readonly [query: string, found: readonly number[]][] = [
    ['session=a', [1, 3, 5]],
    ['turn=t4', [4]],
    ['tool=read_file', [5, 6]],
    ['decision=refused', [3]],
    ['since=2026-01-01T00:05:00Z', [5, 6]],
    ['since=2026-01-01T01:05:00%2B01:00', [5, 6]],
    ['limit=2', [1, 2]],
    ['after=2&limit=2', [3, 4]],
    ['after=6', []],
    ['last=2', [5, 6]],
    ['last=2&before=5', [3, 4]],
    ['until=2026-01-01T00:03:00Z', [1, 2]],
    ['last=1&session=a&tool=shell', [3]],
  ]
  for (const [query, found] of asked) assert.deepEqual(await numbers(query), found, query)
})

test('an export has every record that matches, whole and in order, as JSON Lines', async (context) => {
  const { store, doors } = await audited(context)
  for (const [query, options] of [
    ['', {}],
    ['?session=a&until=2026-01-01T00:05:00Z', { session: 'a', until: '2026-01-01T00:05:00.000Z' }],
  ] as const) {
    const answer = await doors.request(`/api/audit/export${query}`)
    assert.match(answer.headers.get('content-type') ?? '', /^application\/jsonl/)
    assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename="foreword-audit.jsonl"/)
    const lines = (await answer.text()).trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      await store.audit(options),
    )
  }
  assert.equal((await doors.request('/api/audit/export?last=2')).status, 400)
})

test('an export that takes long has only records', async (context) => {
  const { store } = await audited(context)
  const slow = async (options: Parameters<typeof store.audit>[0]) => {
    await sleep(60)
    return store.audit(options)
  }
  const doors = served({ ...scriptedRuntime(), store: { ...store, audit: slow } }, { streams: { heartbeatMs: 5 } })
  const lines = (await (await doors.request('/api/audit/export')).text()).trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as AuditRecord).number),
    [1, 2, 3, 4, 5, 6],
  )
})

test('a query that could not be meant is refused with a reason', async (context) => {
  const { doors } = await audited(context)
  for (const query of ['decision=maybe', 'since=yesterday', 'last=0', 'limit=100000', 'after=-1', 'colour=red']) {
    const answer = await doors.request(`/api/audit?${query}`)
    assert.equal(answer.status, 400, query)
    assert.match(await answer.text(), new RegExp(query.split('=')[0]!))
  }
})

test('the whole chain is examined', async (context) => {
  const { store, doors } = await audited(context)
  const { number, hash } = (await store.auditHead())!
  const whole = { type: 'whole', records: 6, head: { number, hash }, checkpoints: { targets: [], restores: [] } }
  assert.deepEqual(await doors.json('/api/audit/verify'), whole)
  const checkpoints = { targets: [], restores: [] }
  const broken = { type: 'broken', number: 3, why: 'record 3 is missing', checkpoints } as const
  const other = served({ ...scriptedRuntime(), verifyAudit: async () => broken })
  assert.deepEqual(await other.json('/api/audit/verify'), broken)
})

test('a record that a person noted has to be in the chain', async (context) => {
  const { store, doors } = await audited(context)
  const third = (await store.audit())[2]!
  const asked = (expect: string) => doors.json<{ type: string; why?: string }>(`/api/audit/verify?expect=${expect}`)
  assert.equal((await asked(`3:${third.hash}`)).type, 'whole')
  assert.match((await asked(`4:${third.hash}`)).why!, /^record 4 has the hash /)
  assert.match((await asked(`7:${third.hash}`)).why!, /^the expected record 7 is not in the audit/)
  for (const odd of ['3', `0:${third.hash}`, '3:abc', `x:${third.hash}`]) {
    assert.equal((await doors.request(`/api/audit/verify?expect=${odd}`)).status, 400, odd)
  }
})

test('without the token nobody reads the audit', async (context) => {
  const { doors } = await audited(context)
  for (const path of ['/api/audit', '/api/audit/verify', '/api/audit/key']) {
    assert.equal((await doors.request(path, { headers: { authorization: '' } })).status, 401)
  }
})
