import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { callPrice, type ForeignExchange, type SessionFindings } from '../../src/capability.ts'
import type { Comparison, Manifest, Piece } from '../../src/context.ts'
import type { CallRecord } from '../../src/session.ts'
import { callContext } from '../../src/capabilities/inspector/call-context.ts'
import { explainCall } from '../../src/capabilities/inspector/explain-call.ts'
import { run } from '../cli/recorded-io.ts'
import { recordedCalls, startGateway } from './gateway.ts'
import { answerPlayed, playSession } from './play-session.ts'
import { startVendor } from './vendor.ts'

async function played(t: TestContext) {
  const vendor = await startVendor(t, answerPlayed)
  const providers = { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } }
  const gateway = await startGateway(t, { providers })
  await playSession(gateway)
  const calls = await recordedCalls(gateway)
  const session = calls[0]!.session!
  const { url, token } = gateway
  const json = async <Answer>(path: string): Promise<Answer> => {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as Answer
  }
  const own = mkdtempSync(join(tmpdir(), 'foreword-views-'))
  t.after(() => rmSync(own, { recursive: true, force: true }))
  const environment = { FOREWORD_HOME: gateway.home }
  const command = (...words: readonly string[]) => run(words, { environment })
  return { gateway, calls, session, json, command, folder: own }
}

test('a session of another program is listed with its program, and has a page of its own data', async (t) => {
  const { session, calls, json } = await played(t)
  interface Row {
    readonly id: string
    readonly program?: object
    readonly cost?: { readonly calls: number }
  }
  const { sessions } = await json<{ readonly sessions: readonly Row[] }>('/api/sessions?cost=true')
  assert.deepEqual(sessions[0]?.program, { name: 'claude-code', version: '2.1.330', calls: 7 })
  assert.equal(sessions[0]?.cost?.calls, 7)
  const { exchanges } = await json<{ readonly exchanges: readonly ForeignExchange[] }>(
    `/api/sessions/${session}/exchanges`,
  )
  assert.deepEqual(
    exchanges.map(({ words }) => words),
    ['What does the parser do?', undefined, 'And the printer?', undefined, 'Run the tests.', undefined, 'Once more.'],
  )
  assert.deepEqual(exchanges[0]?.answer?.calls, [{ id: 'c1', name: 'Read', input: { file_path: 'src/parser.ts' } }])
  assert.equal(exchanges[1]?.answer?.text, 'It **parses** lines.')
  const before = await json<{ readonly exchanges: readonly ForeignExchange[] }>(
    `/api/sessions/${session}/exchanges?limit=2&before=${calls[3]!.id}`,
  )
  assert.deepEqual(
    before.exchanges.map(({ call, words }) => [call, words]),
    [
      [calls[1]!.id, undefined],
      [calls[2]!.id, 'And the printer?'],
    ],
  )
  const { calls: earlier } = await json<{ readonly calls: readonly { readonly id: string }[] }>(
    `/api/sessions/${session}/calls?limit=2&before=${calls[3]!.id}`,
  )
  assert.deepEqual(
    earlier.map(({ id }) => id),
    [calls[1]!.id, calls[2]!.id],
  )
})

test('each part of a call is shown with its exact text, and its tokens add up to the whole', async (t) => {
  const { calls, json } = await played(t)
  const { manifest, pieces } = await json<{ readonly manifest: Manifest; readonly pieces: readonly Piece[] }>(
    `/api/calls/${calls[5]!.id}/parts`,
  )
  assert.equal(
    manifest.entries.reduce((sum, { tokens }) => sum + tokens, 0),
    manifest.used,
  )
  const text = JSON.stringify(pieces)
  for (const words of ['Write tests first.', 'const again49 = 343', 'Do as you are asked.']) {
    assert.ok(text.includes(words), words)
  }
  await assert.rejects(json('/api/calls/call_none/parts'), /not-found/)
})

test('what was paid for without need is found with its price, and a difference is told by meaning', async (t) => {
  const { session, calls, json } = await played(t)
  const report = await json<SessionFindings>(`/api/sessions/${session}/findings`)
  assert.equal(report.calls, 7)
  const codes = report.findings.map(({ code }) => code)
  for (const code of ['broken-cache', 'repeated-result', 'unused-server'])
    assert.ok(codes.includes(code as 'cold-cache'), code)
  const broken = report.findings.find(({ code }) => code === 'broken-cache')
  assert.match(broken!.message, /tools are in another order/)
  assert.deepEqual(broken!.where.calls, [calls[6]!.id])
  assert.ok(report.findings.every(({ cost }) => cost.money !== undefined && cost.money > 0))
  const diff = await json<Comparison>(`/api/diff?before=${calls[5]!.id}&after=${calls[6]!.id}`)
  assert.match(diff.why!, /tools are in another order/)
  // The mark that moved along counts as no difference, and what is said for the bill as none of what is the same.
  const grew = await json<Comparison>(`/api/diff?before=${calls[0]!.id}&after=${calls[1]!.id}`)
  const { used, entries } = calls[0]!.manifest
  assert.equal(grew.commonPrefix.tokens, used - entries.find(({ layer }) => layer === 'billing')!.tokens)
})

test('the terminal shows sessions, calls, one call by layer, findings, differences and the exact body', async (t) => {
  const { session, calls, command } = await played(t)
  const shown = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await command(...words)
    assert.equal(code, 0, stderr)
    return stdout
  }
  assert.match(await shown('sessions'), /model or program.*\n.*claude-code 2\.1\.330 +What does the parser do\?/)
  const list = await shown('calls', session)
  assert.match(list, /call_\w+ .* 4 +turn +anthropic\/claude-opus-5-5.*\n {2}The tools are in another order/)
  assert.match(list, new RegExp(`foreword calls explain ${session}`))
  const one = await shown('calls', session, 'last~1')
  assert.match(one, /^claude-code 2\.1\.330, turn, anthropic\/claude-opus-5-5\n2,400 tokens read/)
  assert.match(one, /\ntool result +1,261 +\$0\.\d+\n +turn 1: Read src\/parser\.ts +543/)
  assert.match(one, /\n +\/work\/CLAUDE\.md +\d+ +\$/)
  assert.match(one, /\nthe answer itself +40 +\$/)
  const explained = await shown('explain', session)
  assert.match(explained, /\n[\d,]+ tokens, \$[\d.]+, without need, in \d+ findings\.\n/)
  assert.match(explained, /permissions\.deny: \w+/)
  assert.ok((explained.match(/^(?:[a-z]+-[a-z]+): /gm) ?? []).length <= 5)
  assert.match(explained, /broken-cache: .*tools are in another order.*\n {2}[\d,]+ tokens not read from the cache, \$/)
  const { findings, sum } = JSON.parse(await shown('explain', session, '--json')) as SessionFindings
  assert.equal(
    findings.reduce((all, { cost }) => all + cost.tokens, 0),
    sum.tokens,
  )
  assert.ok(findings.length >= 3)
  assert.match(await shown('diff', 'last~1', 'last', '--session', session), /\nwhy: The tools are in another order/)
  const request = await command('request', calls[2]!.id)
  assert.equal(request.code, 0)
  assert.match(request.stderr, /identical to the body that was sent/)
  assert.match(await shown('replay', session), /7 of 7 bodies identical/)
  assert.match(await shown('costs', '--by', 'tool', '--session', session), /Read +7/)
  assert.match(await shown('costs', '--by', 'channel'), /claude-code +7/)
  assert.match(await shown('sessions', 'show', session), /belongs to claude-code: `foreword calls/)
})

test('MCP clients read its size, its end and what is estimated, and of no room where none is known', async (t) => {
  const { gateway, calls } = await played(t)
  const [before, record] = calls.slice(-2) as [CallRecord, CallRecord]
  const price = await callPrice(gateway.runtime, record)
  const told = (each: CallRecord) =>
    explainCall({ record: each, before }, price) as { readonly sentences: readonly string[] }
  const whole = told(record)
  assert.match(whole.sentences.join('\n'), /Its prompt has [\d,]+ of 1,000,000 tokens that were available: /)
  const { budget, used } = record.manifest
  const roomless = { ...record, manifest: { ...record.manifest, budget: { ...budget, window: used, available: used } } }
  const unknown = told(roomless)
  assert.equal('window' in unknown || 'available' in unknown, false)
  const words = unknown.sentences.join('\n')
  assert.match(words, /Its prompt has [\d,]+ tokens as Foreword counts them: .* for definitions of tools/)
  assert.match(words, /The provider read 300 of 2,300 prompt tokens from its cache/)
  const { outline } = callContext(roomless, price) as { readonly outline: string }
  assert.match(outline, /^used 2300\ntools /)

  const { wire: _, ...end } = record.outcome!
  const refused = told({ ...record, outcome: { ...end, error: { code: 'over-budget', message: 'Too much.' } } })
  assert.match(refused.sentences.join('\n'), /did not leave\.[^]*It failed after .*: over-budget\.\nIt cost nothing\./)
  const broken = told({ ...record, outcome: { ...record.outcome!, usageEstimated: true } })
  assert.match(broken.sentences.join('\n'), /Its usage is an estimate: the answer broke off/)
})

test('nothing can be said in it from here', async (t) => {
  const { session, command, calls, gateway } = await played(t)
  for (const words of [
    ['send', '--session', session, 'Hello'],
    ['chat', '--session', session],
    ['context', session],
  ]) {
    const { code, stderr } = await command(...words)
    assert.equal(code, 1)
    assert.match(stderr, /This session belongs to claude-code: .* only that program continues it\.\n {2}Continue it in/)
  }
  assert.equal((await recordedCalls(gateway)).length, calls.length)
})

test('it goes from one home to another with its calls, and goes as a whole', async (t) => {
  const { session, command, folder, json } = await played(t)
  const file = join(folder, 'session.jsonl')
  assert.equal((await command('sessions', 'export', session, '--output', file)).code, 0)
  const gone = await command('sessions', 'delete', session, '--yes')
  assert.equal(gone.code, 0, gone.stderr)
  await assert.rejects(json(`/api/sessions/${session}/findings`), /not-found/)
  const back = await command('sessions', 'import', file)
  assert.equal(back.code, 0, back.stderr)
  const { calls } = await json<{ readonly calls: readonly CallRecord[] }>(`/api/sessions/${session}/calls`)
  assert.equal(calls.length, 7)
  assert.match((await command('calls', session)).stdout, /The tools are in another order/)
  const { findings } = await json<SessionFindings>(`/api/sessions/${session}/findings`)
  assert.ok(findings.some(({ code }) => code === 'broken-cache'))
  const { exchanges } = await json<{ readonly exchanges: readonly object[] }>(`/api/sessions/${session}/exchanges`)
  assert.equal(exchanges.length, 7)
  await assert.rejects(json(`/api/calls/${calls[0]!.id}/parts`), /missing-content/)
  assert.match((await command('sessions')).stdout, /claude-code 2\.1\.330/)
})
