import assert from 'node:assert/strict'
import test from 'node:test'
import { tokenx } from '../../src/context.ts'
import { callFindings, type SessionCall } from '../../src/foreign.ts'
import { explainRequest } from '../../src/foreign/explain-request.ts'
import { codingSession, fileText, nextMessages, type SessionBody } from './coding-session.ts'
import { type Usage } from '../../src/wire.ts'

const call = (id: string, body: SessionBody, usage?: Partial<Usage>): SessionCall => ({
  id,
  assembly: explainRequest({ format: 'messages', body, counter: tokenx, model: body.model }),
  ...(usage
    ? {
        answer: {
          calls: [],
          usage: {
            promptTokens: undefined,
            cachedTokens: undefined,
            cacheWrittenTokens: undefined,
            outputTokens: undefined,
            reasoningTokens: undefined,
            ...usage,
          },
        },
      }
    : {}),
})

/** Calls that each go on with one question more. */
function growing(count: number, body = codingSession, usage?: Partial<Usage>): readonly SessionCall[] {
  return Array.from({ length: count }, (_, index) => {
    const more = Array.from({ length: index }, (_each, step) => [
      { role: 'assistant', content: `Step ${step}.` },
      { role: 'user', content: 'Go on.' },
    ]).flat()
    return call(`call-${index + 1}`, { ...body, messages: [...body.messages, ...more] }, usage)
  })
}

const codes = (calls: readonly SessionCall[]) => callFindings(calls).map(({ code }) => code)
const long = 'It does much. '.repeat(100)
const described = { ...codingSession, tools: codingSession.tools.map((tool) => ({ ...tool, description: long })) }

test('tools that no call used are found with what their definitions cost in all calls', () => {
  const calls = growing(6, described)
  const findings = callFindings(calls).filter(({ code }) => code.startsWith('unused'))
  const tokens = calls[0]!.assembly.manifest.entries[0]!.tokens * 6
  assert.deepEqual(
    findings.map(({ where }) => where),
    [{ server: 'tickets' }, { tool: 'Bash' }, { tool: 'Edit' }],
  )
  assert.deepEqual(findings[1], {
    code: 'unused-tool',
    severity: 'warning',
    where: { tool: 'Bash' },
    message: 'The tool Bash was offered in 6 calls and never called.',
    cost: { kind: 'sent', tokens },
    hint: 'Leave it out of what the program offers, if nobody needs it.',
  })
  assert.equal(findings[0]!.message, 'The tool of the MCP server tickets was offered in 6 calls and never called.')
  assert.deepEqual(
    codes(growing(4, described)).filter((code) => code === 'unused-tool'),
    [],
  )
})

test('a tool that only the newest answer calls is used', () => {
  const calls = growing(6, described)
  const answered = [...calls.slice(0, 5), { ...calls[5]!, answer: { calls: [{ id: 'c', name: 'Bash', input: {} }] } }]
  assert.deepEqual(
    callFindings(answered)
      .flatMap(({ where }) => where.tool ?? [])
      .filter((tool) => tool === 'Bash'),
    [],
  )
})

test('the same file in one request several times is found: all but the newest result are too much', () => {
  const body = { ...codingSession, messages: [...codingSession.messages, ...nextMessages('src/parser.ts')] }
  const calls = growing(3, body)
  const [finding] = callFindings(calls).filter(({ code }) => code === 'repeated-result')
  const result = calls[0]!.assembly.manifest.entries.find(
    ({ layer, name }) => layer === 'tool-result' && name === 'src/parser.ts',
  )!
  assert.equal(
    finding!.message,
    'The result of Read src/parser.ts is in the request up to 2 times: only the newest is as it is now.',
  )
  assert.deepEqual(finding!.where, { tool: 'Read', name: 'src/parser.ts', calls: ['call-1', 'call-2', 'call-3'] })
  assert.deepEqual(finding!.cost, { kind: 'sent', tokens: result.tokens * 3 })
})

test('a large result that many later calls read again is found', () => {
  const messages = codingSession.messages.map((message, index) =>
    index === 2
      ? { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: fileText('parser', 500) }] }
      : message,
  )
  const [finding] = callFindings(growing(8, { ...codingSession, messages })).filter(
    ({ code }) => code === 'carried-result',
  )
  assert.match(
    finding!.message,
    /^The result of Read src\/parser\.ts \([\d,]+ tokens\) was read again in 7 later calls\.$/,
  )
})

test('a cache that was not read is no finding where its tokens cost as much as fresh ones', () => {
  const calls = growing(8, codingSession, { promptTokens: 2_000, cachedTokens: 0 })
  const kinds = (price: { input: number; output: number; cachedInput?: number }) =>
    new Set(callFindings(calls, price).map(({ cost }) => cost.kind))
  assert.ok(kinds({ input: 2, output: 8, cachedInput: 0.2 }).has('again'))
  assert.ok(!kinds({ input: 2, output: 8 }).has('again'))
})

test('what broke the cache is found with its cause and the tokens that were read again', () => {
  const calls = growing(4).map((each, index) => {
    const system = codingSession.system.map((block, at) =>
      at === 2 ? { ...block, text: `Do as you are asked.\n\n# Environment\nTime: 10:0${index}\n` } : block,
    )
    const { messages } = { messages: [...codingSession.messages] }
    return call(each.id, { ...codingSession, system, messages })
  })
  const [finding] = callFindings(calls).filter(({ code }) => code === 'broken-cache')
  assert.equal(
    finding!.message,
    'The cache could not be read behind this change: Only the time in the environment changed: 10:00 before, 10:01 now. This happened in 3 calls.',
  )
  assert.deepEqual(finding!.where, { entry: 'environment', calls: ['call-2', 'call-3', 'call-4'] })
  assert.match(finding!.hint, /dates and times behind the conversation/)
  assert.deepEqual(
    codes(growing(4)).filter((code) => code.includes('cache')),
    [],
  )
})

test('calls that begin alike and of which a provider found nothing are found', () => {
  const [finding] = callFindings(growing(3, codingSession, { promptTokens: 4_000, cachedTokens: 0 })).filter(
    ({ code }) => code === 'cold-cache',
  )
  assert.deepEqual(finding!.where, { calls: ['call-2', 'call-3'] })
  assert.deepEqual(
    codes(growing(3, codingSession, { promptTokens: 4_000, cachedTokens: 4_000 })).filter(
      (code) => code === 'cold-cache',
    ),
    [],
  )
})

test('findings have a price where that is known, at the rate that the session paid, and the dearest is first', () => {
  const usage = { promptTokens: 1_000, cachedTokens: 900, cacheWrittenTokens: 100 }
  const found = callFindings(growing(6, described, usage), { input: 10, cachedInput: 1, cacheWrite: 12.5, output: 50 })
  const unused = found.find(({ where }) => where.tool === 'Bash')!
  assert.equal(unused.cost.money, Math.round(unused.cost.tokens * (0.9 * 1 + 0.1 * 12.5) * 1_000) / 1_000_000_000)
  const money = found.map(({ cost }) => cost.money!)
  assert.deepEqual(
    money,
    money.toSorted((one, other) => other - one),
  )
})

test('no token of a call is in two findings', () => {
  const body = { ...described, messages: [...codingSession.messages, ...nextMessages('src/parser.ts')] }
  // A cache that gives nothing would have given the tools, and what is in the request twice.
  const calls = growing(8, body, { promptTokens: 9_000, cachedTokens: 0, outputTokens: 10 })
  const findings = callFindings(calls)
  assert.deepEqual(
    new Set(findings.map(({ code }) => code)),
    new Set(['unused-server', 'unused-tool', 'repeated-result', 'cold-cache']),
  )
  const found = findings.reduce((sum, { cost }) => sum + cost.tokens, 0)
  const sent = calls.reduce((sum, { assembly }) => sum + assembly.manifest.used, 0)
  const once = calls.slice(1).reduce((sum, { assembly }) => sum + assembly.manifest.used, 0)
  const first = calls[0]!.assembly.manifest.entries
  assert.ok(found <= sent, `${found} of ${sent}`)
  // Of all calls but the first, everything but the newest words is in one of them.
  assert.ok(found > once * 0.9 && first.length > 0, `${found} of ${once}`)
})

test('a hint names what to do in the program', () => {
  const hints = (client: string) =>
    callFindings(growing(6, described), undefined, client).flatMap(({ where, hint }) =>
      where.tool === 'Bash' || where.server ? [hint] : [],
    )
  assert.match(hints('claude-code').join('\n'), /`claude mcp remove tickets`[^]*`permissions\.deny: Bash`/)
  assert.match(hints('opencode').join('\n'), /"mcp": \{"tickets"[^]*"tools": \{"Bash": false\}/)
  assert.match(hints('codex').join('\n'), /\[mcp_servers\.tickets\]/)
})
