import assert from 'node:assert/strict'
import test from 'node:test'
import { assemble } from '../assemble.ts'
import type { Layer } from '../layer.ts'
import { layoutOf } from '../layouts.ts'
import { tokenx } from '../token-counter.ts'
import type { ToolDefinition } from '../tool-definition.ts'
import { lint } from './lint.ts'
import type { LintCall } from './lint-call.ts'
import { lintCost, lintRates } from './lint-finding.ts'
import { volatileSpots } from './volatile-text.ts'

const layer = (id: string, text: string, more: Partial<Layer> = {}): Layer => ({
  id,
  layer: id,
  renditions: [{ form: 'full', text }],
  placement: 'system',
  origin: { kind: 'operator', ref: `${id}.md` },
  ...more,
})

const tool = (name: string): ToolDefinition => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } })

function assembly(layers: readonly Layer[], tools: readonly ToolDefinition[] = []) {
  return assemble({
    layout: layoutOf('auto'),
    layers,
    history: [],
    current: { id: 'next', messages: [] },
    tools,
    budget: { window: 32_000, reserve: 1_000 },
    counter: tokenx,
  })
}

/** What is found, in short: code, severity, place. */
function found(
  layers: readonly Layer[],
  { calls = [], tools = [], offers = [] }: { calls?: LintCall[]; tools?: object[]; offers?: string[] } = {},
) {
  const findings = lint({
    assembly: assembly(layers, offers.map(tool)),
    counter: tokenx,
    calls,
    tools: tools as never,
  })
  return findings.map(({ code, severity, where }) => [code, severity, where.layer ?? where.tool])
}

/** A call of 10,000 tokens with these entries before the conversation, written as `id:digest`. */
function call(number: number, head: readonly string[], more: Partial<LintCall> = {}): LintCall {
  return {
    id: `call-${number}`,
    session: 'one',
    turn: `turn-${number}`,
    model: 'm',
    layout: 'auto',
    used: 10_000,
    head: head.map((text) => {
      const [id, digest] = text.split(':') as [string, string]
      return { id, slot: id.startsWith('tool') ? 'tools' : 'system', tokens: 100, digest }
    }),
    ...more,
  }
}

const many = (count: number, head: (number: number) => readonly string[]) =>
  Array.from({ length: count }, (_, number) => call(number, head(number)))

const SIGNS: readonly (readonly [string, string])[] = [
  ['Built 2026-11-20T10:00:05Z.', 'time'],
  ['As of 2026-11-20 10:00 all is well.', 'time'],
  ['It is Saturday, 2026-11-21, 10:31 (UTC).', 'time'],
  ['Written on Nov 21, 2026 at 10:31.', 'time'],
  ['Stand: 21.11.2026, 10:31', 'time'],
  ['The clock shows 10:31:07 now', 'time'],
  ['The current time is 10:31.', 'time'],
  ['started 1763980800', 'time'],
  ['started 1763980800123', 'time'],
  ['session 3f2a9c1e-1111-4222-8333-abcdefabcdef', 'id'],
  ['trace 01JD3K2M4N5P6Q7R8S9TAVBWCX', 'id'],
  ['commit 8d28ee7d00c22f3ef556b836ba93fe966680880210', 'id'],
  ['This is request #4821.', 'counter'],
  ['build number: 77', 'counter'],
]

for (const [text, kind] of SIGNS) {
  test(`looks different at every call: ${text}`, () => {
    const spots = volatileSpots(`Line one.\n${text}`)
    assert.deepEqual([spots[0]?.kind, spots[0]?.line, spots.length], [kind, 2, 1])
  })
}

test('days, opening hours, versions, amounts and names are not taken for times or ids', () => {
  const text = [
    'Today is Saturday, 2026-11-21.',
    'Office hours are 09:00 to 17:30, on weekdays from 8:15.',
    'Use Node 24.1.0, port 4141, at most 1500000000000 of nothing, and 10:1 ratios.'.replace('1500000000000', '15,000'),
    'Answer in 3 to 5 sentences; call 112 in an emergency, and see issue #15.',
    'Colours such as #a1b2c3 and commits such as 8d28ee7d are fine, and so is aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.',
    'Each request has one answer. Turn 3 pages. John 3:16 and 2:30 h of music.',
  ].join('\n')
  assert.deepEqual(volatileSpots(text), [])
})

test('an id is never shown whole, since it could be a secret', () => {
  const secret = '8d28ee7d00c22f3ef556b836ba93fe966680880210'
  const findings = lint({
    assembly: assembly([layer('rules', `Key ${secret}.`)]),
    counter: tokenx,
    calls: [],
    tools: [],
  })
  assert.equal(findings.length, 1)
  assert.equal(JSON.stringify(findings).includes(secret), false)
})

test('a time before the conversation is found with its line; behind it, or in words of others, it is not', () => {
  const text = 'Be kind.\n\nIt is 10:31:07.'
  const findings = lint({ assembly: assembly([layer('rules', text)]), counter: tokenx, calls: [], tools: [] })
  assert.deepEqual(findings[0]?.where, { layer: 'rules', ref: 'rules.md', line: 3, excerpt: '10:31:07' })
  assert.deepEqual(found([layer('rules', text, { placement: 'after-input' })]), [])
  assert.deepEqual(found([layer('page', text, { origin: { kind: 'web', ref: 'example.com' } })]), [])
})

test('a time that ten calls show to be constant is a note without a price', () => {
  const calls = many(12, () => ['rules:a'])
  const input = { assembly: assembly([layer('rules', 'Built 2026-11-20T10:00:05Z.')]), counter: tokenx, tools: [] }
  const [note] = lint({ ...input, calls })
  assert.deepEqual([note?.severity, note?.cost], ['note', undefined])
  const [warning] = lint({ ...input, calls: calls.slice(0, 5) })
  assert.equal(warning?.severity, 'warning')
  assert.ok(warning?.cost?.atMost && warning.cost.tokens > 900_000, 'the whole usual prompt is behind it')
})

test('a layer that changes at every call is found with what follows it, and one that changes once is not', () => {
  const layers = [layer('rules', 'Be kind.')]
  const calls = many(11, (number) => ['rules:a', `clock:${number}`, 'more:a'])
  assert.deepEqual(found(layers, { calls }), [['changing-layer', 'warning', 'clock']])
  const [finding] = lint({ assembly: assembly(layers), counter: tokenx, calls, tools: [] })
  assert.deepEqual(finding?.cost, { kind: 'again', tokens: 990_000 })
  assert.deepEqual(found(layers, { calls: many(11, (number) => [`rules:${number > 4 ? 'b' : 'a'}`]) }), [])
  assert.deepEqual(found(layers, { calls: calls.slice(0, 4) }), [], 'too few calls to tell')
})

test('a layer that changes with every turn is found although the steps of a turn have it unchanged', () => {
  const calls = Array.from({ length: 24 }, (_, number) =>
    call(number, [`recent:${Math.floor(number / 4)}`], { turn: `turn-${Math.floor(number / 4)}` }),
  )
  assert.deepEqual(found([], { calls }), [['changing-layer', 'warning', 'recent']])
})

test('calls of different sessions, models and layouts are not compared', () => {
  for (const key of ['session', 'model', 'layout'] as const) {
    const calls = Array.from({ length: 20 }, (_, n) => call(n, [`clock:${n}`], { [key]: `${n}` }))
    assert.deepEqual(found([], { calls }), [], key)
  }
})

test('tools that come in another order are found, and a tool that is added is not', () => {
  const flips = many(6, (number) => (number % 2 ? ['tool-b:b', 'tool-a:a'] : ['tool-a:a', 'tool-b:b']))
  assert.deepEqual(found([], { calls: flips }), [['unstable-order', 'warning', 'tool-b']])
  const grows = many(6, (number) => (number > 2 ? ['tool-0:0', 'tool-a:a', 'tool-b:b'] : ['tool-a:a', 'tool-b:b']))
  assert.deepEqual(found([], { calls: grows }), [])
})

test('layers that come in another order are found', () => {
  const calls = many(6, (number) => (number % 2 ? ['two:b', 'one:a'] : ['one:a', 'two:b']))
  assert.deepEqual(found([], { calls })[0]?.[0], 'unstable-order')
})

test('a tool that nobody calls costs its definition; one that was called, is new or is gone costs nothing here', () => {
  const use = { offered: 60, tokens: 6_000, uses: 0 }
  const tools = [
    { ...use, name: 'idle' },
    { ...use, name: 'busy', uses: 1 },
    { ...use, name: 'new', offered: 49 },
    { ...use, name: 'gone' },
  ]
  assert.deepEqual(found([], { tools, offers: ['idle', 'busy', 'new'] }), [['unused-tool', 'warning', 'idle']])
  const [finding] = lint({ assembly: assembly([], [tool('idle')]), counter: tokenx, calls: [], tools })
  assert.deepEqual(finding?.cost, { kind: 'sent', tokens: 10_000, monthTokens: 6_000 })
})

test('a paragraph of 200 characters in two layers is found, wherever lines break; a shorter one is not', () => {
  const words = 'Answer with care and name your sources. '.repeat(6).trim()
  assert.ok(words.length >= 200)
  const twice = [
    layer('rules', `Rules.\n\n${words}`),
    layer('more', `More.\n\n${words.replaceAll('. ', '.\n')}\n\nEnd.`),
  ]
  const [finding, ...others] = lint({ assembly: assembly(twice), counter: tokenx, calls: [], tools: [] })
  assert.deepEqual(others, [])
  assert.deepEqual([finding?.code, finding?.where.layer, finding?.where.line], ['duplicated-text', 'more', 3])
  assert.equal(finding?.cost?.tokens, tokenx.text(words) * 100)
  const short = words.slice(0, 199).trim()
  assert.deepEqual(found([layer('rules', short), layer('more', short)]), [])
  assert.deepEqual(found([layer('rules', `${words}\n\n${words}`)]), [], 'one layer may repeat itself')
})

test('money follows the price: a token that a cache gives costs less than one that it cannot give', () => {
  const price = { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 }
  const cold = lintRates(price, { cached: 0, written: 0, fresh: 0 })
  assert.deepEqual(lintCost('sent', 1_000, cold), { kind: 'sent', tokens: 100_000, money: 0.3 })
  const warm = lintRates(price, { cached: 900, written: 0, fresh: 100 })
  assert.equal(lintCost('sent', 1_000, warm).money?.toFixed(4), '0.0570')
  assert.equal(lintCost('again', 1_000, warm).money?.toFixed(4), '0.2700')
  assert.equal(
    lintCost('again', 1_000, lintRates({ input: 3, output: 15 }, { cached: 0, written: 0, fresh: 1 })).money,
    0,
  )
  assert.equal(lintCost('again', 1_000, undefined).money, undefined)
})

test('where nothing is odd, nothing is found, and without a request only recorded calls count', () => {
  const calls = many(30, () => ['tool-a:a', 'rules:a'])
  assert.deepEqual(found([layer('rules', 'Be kind. Today is Saturday, 2026-11-21.')], { calls }), [])
  const changing = many(11, (number) => [`clock:${number}`])
  assert.equal(lint({ counter: tokenx, calls: changing, tools: [] }).length, 1)
})
