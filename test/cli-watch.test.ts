import assert from 'node:assert/strict'
import test from 'node:test'
import { run } from './cli/recorded-io.ts'
import { scriptedConnection } from './cli/scripted-connection.ts'

const call = (id: string, more: object = {}) => ({
  id,
  session: 's1',
  time: '2026-03-10T12:00:00.000Z',
  model: 'anthropic/claude-sonnet-4-5',
  used: 48_000,
  figures: { basis: 'reported', total: 50_000, cached: 40_000, written: 0, fresh: 10_000, window: 48_000 },
  cost: 0.02,
  kind: 'foreign',
  foreign: { client: 'claude-code', kind: 'turn', status: 200, end: 'whole' },
  outcome: { usage: { promptTokens: 50_000, cachedTokens: 40_000, outputTokens: 500 }, durationMs: 3_100 },
  ...more,
})

const again = { tokens: 30_000, again: 18_000, firstChange: { id: 'tool:read', slot: 'tools', cause: 'edited' } }
const title = call('c3', {
  foreign: { client: 'claude-code', kind: 'title', status: 200, end: 'whole' },
  used: 900,
  cost: 0,
})
const calls = [call('c1'), call('c2', { reuse: again }), title]
const manifest = {
  used: 48_000,
  entries: [
    { id: 'tools', slot: 'tools', tokens: 20_000, fullTokens: 20_000 },
    { id: 'system', slot: 'system', tokens: 8_000, fullTokens: 8_000 },
    { id: 'turn', slot: 'history', tokens: 20_000, fullTokens: 20_000 },
  ],
  budget: { window: 48_000, reserve: 0, margin: 0, available: 48_000 },
  slots: { tools: 20_000, system: 8_000, preamble: 0, history: 20_000, 'before-input': 0, input: 0, 'after-input': 0 },
}

const script = {
  'GET /api/sessions?limit=2': { sessions: [{ id: 's1' }] },
  'GET /api/sessions?limit=200': {
    sessions: [{ id: 's1', binding: { channel: 'claude-code', conversation: 'own-id' } }],
  },
  'GET /api/sessions/s1': { id: 's1', title: 'Fix the test' },
  'GET /api/sessions/s1/calls?limit=1000': { calls },
  'GET /api/calls/c2/manifest': manifest,
  'GET /api/model?id=anthropic%2Fclaude-sonnet-4-5': { id: 'anthropic/claude-sonnet-4-5', window: 200_000 },
}

/** Ctrl-C as soon as somebody listens for it. */
const stopSoon = (listener: () => void) => {
  setImmediate(listener)
  return () => {}
}

test('a session is shown by layer, with its cost, its cache and its last call', async () => {
  const connection = scriptedConnection(script)
  const { code, stdout } = await run(['watch', 's1'], {
    connection,
    terminal: true,
    columns: 81,
    onInterrupt: stopSoon,
  })
  assert.equal(code, 0)
  const lines = stdout
    // oxlint-disable-next-line no-control-regex -- looks begin with a control character
    .replaceAll(/\u001B\[\d+m/g, '')
    .trimEnd()
    .split('\n')
  assert.deepEqual(lines.slice(0, -1), [
    'claude-code · anthropic/claude-sonnet-4-5 · s1 · “Fix the test”',
    '[TTTTTTTTSSSHHHHHHHHH··························································]',
    '50,000 of 200,000 tokens (25 %)',
    'T tools 20,833  S system 8,334  H history 20,833',
    '3 calls · $0.0400 · 80 % from the cache, 80 % of the last call',
    'last cut    none',
    'cache       18,750 tokens were sent again from tool:read (tools) on: edited',
  ])
  assert.match(lines.at(-1)!, /^last call {3}\d\d:\d\d:\d\d · title · anthropic\/claude-sonnet-4-5 · 50,000 read/)
  for (const line of lines) assert.ok(line.length <= 80, line)
})

test('a session whose conversation has no call yet says so, and its status bar leaves the window out', async () => {
  const connection = scriptedConnection({
    ...script,
    'GET /api/sessions/s1/calls?limit=1000': {
      calls: [title, call('c4', { foreign: { ...title.foreign, kind: 'count' } })],
    },
  })
  const { stdout } = await run(['watch', 's1'], { connection, terminal: true, columns: 81, onInterrupt: stopSoon })
  assert.match(stdout, /no call of the conversation yet/)
  const line = await run(['watch', '--line', 's1'], { connection })
  assert.equal(line.stdout, 'anthropic/claude-sonnet-4-5 · $0\n')
})

test('without a terminal a call is a line, and with --json a document', async () => {
  const connection = scriptedConnection(script)
  const plain = await run(['watch', 's1'], { connection, onInterrupt: stopSoon })
  assert.match(plain.stdout, /^\d\d:\d\d:\d\d · title · .* · claude-sonnet-4-5|^\d\d:\d\d:\d\d · title · [^\n]*\n$/)
  const json = await run(['watch', 's1', '--json'], { connection, onInterrupt: stopSoon })
  const { session, used, window, sums } = JSON.parse(json.stdout)
  assert.deepEqual([session, used, window, sums.calls], ['s1', 50_000, 200_000, 3])
})

test('a status bar has one line, for the session that Claude Code names', async () => {
  const connection = scriptedConnection(script)
  const line = 'anthropic/claude-sonnet-4-5 · 50k/200k (25 %) · $0.0400 · cache 80 %\n'
  const input = JSON.stringify({ session_id: 'own-id', model: { id: 'claude-sonnet-4-5' } })
  assert.equal((await run(['watch', '--line'], { connection, input })).stdout, line)
  assert.equal((await run(['watch', '--line', 's1'], { connection })).stdout, line)
  const other = await run(['watch', '--line'], { connection, input: JSON.stringify({ session_id: 'another' }) })
  assert.deepEqual([other.code, other.stdout], [0, 'foreword: no call yet\n'])
})
