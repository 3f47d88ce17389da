import assert from 'node:assert/strict'
import test from 'node:test'
import { compare, tokenx } from '../../src/context.ts'
import { commonPrefix } from '../../src/foreign.ts'
import { keptCall } from '../../src/foreign/compared-unit.ts'
import { explainRequest } from '../../src/foreign/explain-request.ts'
import { codingSession, fileText, nextMessages, type SessionBody, withMovedMark } from './coding-session.ts'
import { recordedCalls } from './recorded-calls.ts'
import { type WireFormat } from '../../src/wire.ts'

const explain = (body: unknown, format: WireFormat = 'messages') => explainRequest({ format, body, counter: tokenx })
const reuse = (before: unknown, after: unknown, format?: WireFormat) =>
  commonPrefix(explain(before, format), explain(after, format))

const replaced = <Body>(body: Body, from: string, to: string): Body =>
  JSON.parse(
    JSON.stringify(body).replaceAll(JSON.stringify(from).slice(1, -1), JSON.stringify(to).slice(1, -1)),
  ) as Body
const withMessages = (body: SessionBody, messages: SessionBody['messages']): SessionBody => ({ ...body, messages })
const grown = withMovedMark(withMessages(codingSession, [...codingSession.messages, ...nextMessages()]))

/** What was changed in the call that follows, and how the first difference is named. */
const mutations: readonly (readonly [what: string, body: SessionBody, place: string, cause: string, why: RegExp])[] = [
  ['nothing', grown, 'input turn-3', 'grew', /^The conversation went on\. Everything before/],
  [
    'a file is read again',
    withMessages(grown, [...codingSession.messages, ...nextMessages('src/parser.ts')]),
    'input turn-3',
    'grew',
    /^The conversation went on with the result of Read src\/parser\.ts again: the earlier one is still there\.$/,
  ],
  [
    'the order of tools',
    { ...grown, tools: [grown.tools[1]!, grown.tools[0]!, ...grown.tools.slice(2)] },
    'tools Edit',
    'tool-order',
    /another order: Edit is where Bash was/,
  ],
  [
    'a tool is added',
    { ...grown, tools: [...grown.tools, { name: 'WebFetch', input_schema: {} }] },
    'tools WebFetch',
    'tool-added',
    /The tool WebFetch is offered now/,
  ],
  [
    'a tool is added before others',
    { ...grown, tools: [{ name: 'Agent', input_schema: {} }, ...grown.tools] },
    'tools Agent',
    'tool-added',
    /The tool Agent is offered now/,
  ],
  [
    'a tool is removed',
    { ...grown, tools: grown.tools.slice(0, 3) },
    'tools mcp__tickets__list',
    'tool-removed',
    /mcp__tickets__list is no longer offered/,
  ],
  [
    'all tools are removed',
    { ...grown, tools: [] },
    'tools Bash',
    'tool-removed',
    /Bash, Edit, Read and 1 more are no longer/,
  ],
  [
    'a tool is described in other words',
    replaced(grown, 'Runs Edit.', 'Runs Edit with care.'),
    'tools Edit',
    'tool-changed',
    /definition of the tool Edit changed/,
  ],
  [
    'a date in the system text',
    replaced(grown, 'Date: 2026-11-23', 'Date: 2026-11-24'),
    'system environment',
    'clock',
    /^Only the date in the environment changed: 2026-11-23 before, 2026-11-24 now\.$/,
  ],
  [
    'a date in a reminder',
    replaced(grown, 'Today is 2026-11-23', 'Today is 2026-11-24'),
    'preamble environment-2',
    'clock',
    /Only the date in the environment/,
  ],
  [
    'the system text',
    replaced(grown, 'You help with code.', 'You help with prose.'),
    'system system-prompt',
    'text-changed',
    /text of the system prompt changed, first at “You help with prose\.”/,
  ],
  [
    'the instructions',
    replaced(grown, 'Write tests first.', 'Write tests last.'),
    'preamble /work/CLAUDE.md',
    'text-changed',
    /text of the instructions \/work\/CLAUDE\.md changed, first at “Write tests last\.”/,
  ],
  [
    'a skill is edited',
    replaced(grown, 'Makes a version.', 'Makes and signs a version.'),
    'preamble skills',
    'text-changed',
    /text of the skills changed, first at “- release: Makes and signs a version\.”/,
  ],
  [
    'a layer is left out',
    withMessages(grown, [
      { role: 'user', content: (grown.messages[0]!.content as readonly object[]).slice(1) as never },
      ...grown.messages.slice(1),
    ]),
    'preamble skills',
    'text-removed',
    /No longer in the request: the skills/,
  ],
  [
    "a person's words in the history",
    replaced(grown, 'And the printer?', 'And the painter?'),
    'history turn-2',
    'history-edited',
    /history was edited: turn 2 is not as it was, first at “And the painter\?”/,
  ],
  [
    'a result in the history is cleared',
    replaced(grown, fileText('printer', 60), '[cleared]'),
    'history turn-2/c2',
    'result-changed',
    /^The result of Read src\/printer\.ts of turn 2 was cut down: [\d,]+ tokens before, \d+ tokens now\.$/,
  ],
  [
    'a result in the history is another one',
    replaced(grown, '7: const printer6 = 42', '7: const printer6 = 43'),
    'history turn-2/c2',
    'result-changed',
    /result of Read src\/printer\.ts of turn 2 changed/,
  ],
  [
    'a call is taken out of the history',
    withMessages(grown, [...grown.messages.slice(0, 5), ...grown.messages.slice(7)]),
    'history turn-2',
    'history-edited',
    /history was edited/,
  ],
  [
    'a reminder is put into the history',
    withMessages(grown, [
      ...grown.messages.slice(0, 4),
      {
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>Take care.</system-reminder>' },
          { type: 'text', text: 'And the printer?' },
        ],
      },
      ...grown.messages.slice(5),
    ]),
    'history turn-2/reminder',
    'text-added',
    /New within the history: the reminder of turn 2/,
  ],
  [
    'the conversation is compacted',
    withMessages(grown, [
      {
        role: 'user',
        content: [
          ...(grown.messages[0]!.content as readonly object[]).slice(0, 2),
          { type: 'text', text: 'This session is being continued from a previous conversation. A parser was read.' },
          { type: 'text', text: 'Run the tests.' },
        ] as never,
      },
    ]),
    'preamble summary',
    'compacted',
    /history was compacted: [\d,]+ tokens of conversation before, [\d,]+ tokens now/,
  ],
  [
    'the conversation is compacted without a known summary',
    withMessages(grown, [
      { role: 'user', content: 'So far: a parser and a printer were read.' },
      { role: 'assistant', content: 'Good.' },
      { role: 'user', content: 'Run the tests.' },
    ]),
    'history turn-1',
    'compacted',
    /history was compacted/,
  ],
  [
    'the conversation goes on from an earlier turn',
    withMessages(grown, [...grown.messages.slice(0, 4), { role: 'user', content: 'Stop here.' }]),
    'input turn-2',
    'taken-back',
    /goes on from an earlier point: 2 turns/,
  ],
  [
    'another model',
    { ...grown, model: 'another' },
    'tools Bash',
    'model',
    /Another model was asked: a-model before, another now/,
  ],
]

test('whatever is changed between two calls, the first difference and its cause are named', () => {
  const before = explainRequest({
    format: 'messages',
    body: codingSession,
    counter: tokenx,
    model: codingSession.model,
  })
  for (const [what, body, place, cause, why] of mutations) {
    const { firstChange } = commonPrefix(
      before,
      explainRequest({ format: 'messages', body, counter: tokenx, model: body.model }),
    )
    assert.deepEqual(
      { place: `${firstChange!.slot} ${firstChange!.id}`, cause: firstChange!.cause },
      { place, cause },
      what,
    )
    assert.match(firstChange!.why, why, what)
  }
})

test('a cache mark that moves, the form of a text and the words for the bill do not count', () => {
  const before = explain(codingSession)
  const moved = replaced(grown, 'cch=a1b2c;', 'cch=ffffe;')
  const { tokens, again, firstChange } = commonPrefix(before, explain(moved))
  const billing = before.manifest.entries.find(({ layer }) => layer === 'billing')!.tokens
  assert.equal(tokens, before.manifest.used - billing)
  assert.deepEqual({ again, cause: firstChange!.cause }, { again: undefined, cause: 'grew' })
  assert.equal(reuse(codingSession, withMovedMark(codingSession)).firstChange, undefined)
})

test('each recorded call of Claude Code has all of the one before it', () => {
  const calls = recordedCalls('claude-code-session').map(({ body }) => explain(body))
  for (const [index, after] of calls.slice(1).entries()) {
    const before = calls[index]!
    const { tokens, firstChange } = commonPrefix(before, after)
    assert.deepEqual({ tokens, cause: firstChange!.cause }, { tokens: before.manifest.used, cause: 'grew' })
  }
})

test('each recorded call of Codex has all of the one before it, also where ids of items and the order of metadata are others', () => {
  const calls = recordedCalls('codex-session').map(({ body }) => explain(body, 'responses'))
  for (const [index, after] of calls.slice(1).entries()) {
    const before = calls[index]!
    const { tokens, firstChange } = commonPrefix(before, after)
    assert.deepEqual(
      { tokens, cause: firstChange!.cause },
      { tokens: before.manifest.used, cause: 'grew' },
      String(index),
    )
  }
})

test('the compactions of the recordings are seen: no tools in one, another beginning in the other', () => {
  const codex = recordedCalls('codex-compaction').map(({ body }) => explain(body, 'responses'))
  assert.equal(commonPrefix(codex[0]!, codex[1]!).firstChange!.cause, 'tool-removed')
  const claude = recordedCalls('claude-code-compaction').map(({ body }) => explain(body))
  assert.match(commonPrefix(claude[1]!, claude[2]!).firstChange!.cause, /text-changed|history-edited/)
})

test('tokens that were sent before and are sent again behind the first difference are counted', () => {
  const before = explain(codingSession)
  const after = explain(replaced(codingSession, 'Runs Bash.', 'Runs a shell.'))
  const { tokens, again } = commonPrefix(before, after)
  const [bash] = before.manifest.entries
  const billing = before.manifest.entries.find(({ layer }) => layer === 'billing')!.tokens
  assert.deepEqual({ tokens, again }, { tokens: 0, again: before.manifest.used - bash!.tokens - billing })
})

test('the part of a system text before the first difference is reused, where it is an entry of its own', () => {
  const body = (day: string) => ({
    messages: [
      { role: 'system', content: `${'Be careful. '.repeat(200)}\n<env>\nToday: ${day}\n</env>` },
      { role: 'user', content: 'Go.' },
    ],
  })
  const [before, after] = [body('Mon Nov 23 2026'), body('Tue Nov 24 2026')].map((each) =>
    explain(each, 'chat-completions'),
  )
  const { tokens, firstChange } = commonPrefix(before!, after!)
  assert.ok(tokens > 400, String(tokens))
  assert.deepEqual({ id: firstChange!.id, cause: firstChange!.cause }, { id: 'environment', cause: 'clock' })
  const kept = commonPrefix(keptCall(before!), keptCall(after!))
  assert.deepEqual({ tokens: kept.tokens, id: kept.firstChange!.id }, { tokens, id: 'environment' })
})

test('calls that were kept without their texts are compared like those that have them; only a time looks like any other edit', () => {
  const before = explain(codingSession)
  for (const [what, body] of mutations) {
    const after = explain(body)
    const full = commonPrefix(before, after)
    const kept = commonPrefix(keptCall(before), keptCall(after))
    const cause = full.firstChange?.cause === 'clock' ? 'text-changed' : full.firstChange?.cause
    const { tokens, again, pieces } = full
    assert.deepEqual(
      {
        tokens: kept.tokens,
        again: kept.again,
        pieces: kept.pieces,
        id: kept.firstChange?.id,
        cause: kept.firstChange?.cause,
      },
      { tokens, again, pieces, id: full.firstChange?.id, cause },
      what,
    )
    assert.doesNotMatch(kept.firstChange?.why ?? '', /[\da-f]{20}/)
  }
  assert.ok(JSON.stringify(keptCall(before).pieces).length < 4_000)
})

test('an assembly of a call is compared like one of our own', () => {
  const comparison = compare(explain(codingSession), explain(grown))
  assert.equal(comparison.firstDifference?.cause, 'grew')
  assert.deepEqual(comparison.went, [])
})
