import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { charsPerFour } from '../../src/context.ts'
import { cutRequest, type ForeignCut } from '../../src/foreign.ts'
import type { CutOutcome } from '../../src/foreign/cut/cut-request.ts'
import { NOTE_LEAD } from '../../src/foreign/cut/cut-plan.ts'
import { explainRequest } from '../../src/foreign/explain-request.ts'
import { forAll, forAllTried } from '../arbitrary/for-all.ts'
import { happenings, itemsIn } from './conversations.ts'
import { type ConversationFormat } from '../../src/wire.ts'
import { conversationFormats } from '../../src/wire/formats.ts'

const fields = {
  responses: 'input',
  'generate-content': 'contents',
  messages: 'messages',
  'chat-completions': 'messages',
}
const field = (format: ConversationFormat) => fields[format]

function bodyOf(format: ConversationFormat, items: readonly object[]): string {
  const leads = {
    messages: { system: 'You help.' },
    responses: { instructions: 'You help.' },
    'chat-completions': {},
    'generate-content': { systemInstruction: { parts: [{ text: 'You help.' }] } },
  }
  const system = leads[format]
  // A space and an odd number: what is not changed has to keep its bytes.
  return `{ "model": "m", "temperature": 1.0, ${JSON.stringify(system).slice(1, -1)}${format === 'chat-completions' ? '' : ','}"${field(format)}": ${JSON.stringify(items)}, "stream":true}`
}

interface Room {
  readonly window: number
  readonly marks?: readonly ForeignCut[]
}

function cut(format: ConversationFormat, text: string, { window, marks = [] }: Room): CutOutcome {
  const body = JSON.parse(text) as unknown
  const assembly = explainRequest({ format, body, counter: charsPerFour })
  return cutRequest({ format, text, body, assembly, counter: charsPerFour, budget: { window, reserve: 0 }, marks })
}

const sizeOf = (format: ConversationFormat, text: string) =>
  explainRequest({ format, body: JSON.parse(text) as unknown, counter: charsPerFour }).manifest.used

const itemsOf = (format: ConversationFormat, text: string) =>
  (JSON.parse(text) as Record<string, readonly Record<string, unknown>[]>)[field(format)]!

/** Ids of calls and of results, in their order. */
function pairsIn(items: readonly object[]): { readonly calls: readonly string[]; readonly results: readonly string[] } {
  const text = JSON.stringify(items)
  if (text.includes('"parts":[')) return geminiPairs(items as readonly GeminiContent[])
  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, id]) => id!)
  return {
    calls: all(/"type":"tool_use","id":"(\w+)"|/g)
      .filter(Boolean)
      .concat(all(/"type":"function_call","call_id":"(\w+)"/g), all(/"id":"(\w+)","type":"function"/g)),
    results: all(/"tool_use_id":"(\w+)"/g).concat(
      all(/"type":"function_call_output","call_id":"(\w+)"/g),
      all(/"tool_call_id":"(\w+)"/g),
    ),
  }
}

interface GeminiContent {
  readonly parts: readonly { readonly functionCall?: { readonly name: string }; readonly functionResponse?: object }[]
}

/** Gemini: as many results as calls, in the message right behind them. */
function geminiPairs(contents: readonly GeminiContent[]): ReturnType<typeof pairsIn> {
  const named = (key: 'functionCall' | 'functionResponse', before: number) =>
    contents.flatMap(({ parts }, at) => parts.flatMap((part, index) => (part[key] ? [`${at - before} ${index}`] : [])))
  return { calls: named('functionCall', 0), results: named('functionResponse', 1) }
}

const isNote = (item: object) => JSON.stringify(item).includes(NOTE_LEAD)
const plain = (item: object) => JSON.stringify(item)
/** Without the texts of results, which may be shorter. */
const bare = (item: object) =>
  JSON.stringify(item, (_key, value: unknown) => {
    const isResult =
      typeof value === 'object' &&
      value !== null &&
      /"(?:tool_result|function_call_output|tool|response)"/.test(JSON.stringify(value))
    if (!isResult || Array.isArray(value)) return value
    const { type, role } = value as Record<string, unknown>
    if ('response' in value) return { ...value, response: {} }
    if (type === 'tool_result' || role === 'tool') return { ...value, content: '' }
    return type === 'function_call_output' ? { ...value, output: '' } : value
  })

const conversations = fc.tuple(fc.constantFrom(...conversationFormats), happenings, fc.integer({ min: 400, max: 6000 }))

test('what fits leaves as it came, and what does not is cut into its room', () => {
  let cuts = 0
  forAllTried(
    { tried: () => cuts, least: 20 },
    conversations,
    ([format, happened, window]) => {
      const text = bodyOf(format, itemsIn(format, happened))
      const outcome = cut(format, text, { window })
      if (sizeOf(format, text) <= window) assert.deepEqual(outcome, { type: 'whole', why: 'fits' })
      if (outcome.type === 'whole') return
      cuts += 1
      // Our counter counts a text that was cut with the words around it, and each by itself afterwards: hence the few tokens.
      assert.ok(sizeOf(format, outcome.text) <= window + 30, `${sizeOf(format, outcome.text)} of ${window}`)
    },
    120,
  )
})

test('a cut keeps calls with their results, thinking, the order, and the bytes of everything that it keeps', () => {
  forAll(
    conversations,
    ([format, happened, window]) => {
      const text = bodyOf(format, itemsIn(format, happened))
      const outcome = cut(format, text, { window })
      if (outcome.type === 'whole') return
      const [before, after] = [itemsOf(format, text), itemsOf(format, outcome.text)]
      const { calls, results } = pairsIn(after)
      assert.deepEqual([...calls].toSorted(), [...results].toSorted())
      const kept = after.filter((item) => !isNote(item))
      let at = 0
      for (const item of kept) {
        const found = before.findIndex((each, index) => index >= at && bare(each) === bare(item))
        assert.ok(found >= at, `not in the order of the caller: ${plain(item)}`)
        if (plain(before[found]!) === plain(item)) assert.ok(outcome.text.includes(plain(item)))
        else assert.ok(results.length > 0)
        at = found + 1
      }
      assert.equal(kept[0], kept[0] && before.some((each) => plain(each) === plain(kept[0]!)) ? kept[0] : undefined)
      assert.ok(outcome.text.startsWith(text.slice(0, text.indexOf(`"${field(format)}"`))))
      assert.equal(after[0]!['role'], 'user')
      // The newest words of the person, and everything since, are there.
      const lastWords = before.findLastIndex(
        (item) => item['role'] === 'user' && !/tool_result|functionResponse/.test(JSON.stringify(item)),
      )
      assert.ok(after.some((item) => plain(item) === plain(before[lastWords]!)))
      if (format === 'messages') requireMessages(after)
    },
    120,
  )
})

/** Anthropic: results are in the message of the user right behind their calls. */
function requireMessages(items: readonly Record<string, unknown>[]): void {
  for (const [at, item] of items.entries()) {
    const { calls } = pairsIn([item])
    if (calls.length === 0) continue
    assert.deepEqual(pairsIn([items[at + 1]!]).results, calls)
  }
}

test('between two cuts the next call begins with what the last one has sent', () => {
  let followed = 0
  forAllTried(
    { tried: () => followed, least: 10 },
    conversations,
    ([format, happened, window]) => {
      let marks: readonly ForeignCut[] = []
      let sent: readonly string[] | undefined
      for (let count = 1; count <= happened.length; count += 1) {
        const text = bodyOf(format, itemsIn(format, happened.slice(0, count)))
        const outcome = cut(format, text, { window, marks })
        const now = itemsOf(format, outcome.type === 'cut' ? outcome.text : text).map(plain)
        const isCut = outcome.type === 'cut' && outcome.isNew
        if (sent && !isCut && outcome.type === 'cut') {
          followed += 1
          assert.deepEqual(now.slice(0, sent.length), sent)
        }
        if (outcome.type === 'cut') marks = [outcome.marks]
        sent = outcome.type === 'cut' ? now : undefined
      }
    },
    30,
  )
})

const long = (count: number) =>
  Array.from({ length: count }, () => ({ type: 'round' as const, thinks: true, results: [900] }))

test('a running loop of tools is cut in whole rounds, and the words that began it stay', () => {
  for (const format of conversationFormats) {
    const happened = [
      { type: 'person' as const, text: 'first' },
      { type: 'answer' as const, text: 'yes', thinks: false },
      { type: 'person' as const, text: 'now mend the gate' },
      ...long(60),
    ]
    const outcome = cut(format, bodyOf(format, itemsIn(format, happened)), { window: 1600 })
    assert.equal(outcome.type, 'cut')
    if (outcome.type !== 'cut') return
    const items = itemsOf(format, outcome.text)
    assert.ok(items.some((item) => plain(item).includes('now mend the gate')))
    assert.equal(items.filter(isNote).length, 1)
    const reread = explainRequest({ format, body: JSON.parse(outcome.text) as unknown, counter: charsPerFour })
    assert.equal(reread.manifest.entries.filter(({ layer }) => layer === 'note').length, 1)
    assert.ok(outcome.account.left.length > 0)
  }
})

test('marks are followed over a moved cache mark and new ids, and not once what was cut is edited', () => {
  const happened = [{ type: 'person' as const, text: 'first' }, ...long(60)]
  const items = itemsIn('messages', happened) as Record<string, unknown>[]
  const first = cut('messages', bodyOf('messages', items), { window: 1600 })
  assert.ok(first.type === 'cut')
  const moved = [
    ...items,
    { role: 'user', content: [{ type: 'text', text: 'go on', cache_control: { type: 'ephemeral' } }] },
  ]
  const next = cut('messages', bodyOf('messages', moved), { window: 1600, marks: [first.marks] })
  assert.ok(next.type === 'cut' && next.followed === first.marks && !next.isNew)
  const edited = moved.map((item, at) => (at === 2 ? { role: 'user', content: 'something else' } : item))
  const again = cut('messages', bodyOf('messages', edited), { window: 1600, marks: [first.marks] })
  assert.ok(again.type === 'cut' && again.followed === undefined && again.isNew)
})

test('the note carries a cache mark like the one behind it, as long as there are fewer than four', () => {
  const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } }
  const items = itemsIn('messages', [{ type: 'person', text: 'first' }, ...long(60)])
  const marked = (count: number) => [
    ...items,
    ...Array.from({ length: count }, () => ({ role: 'user', content: [{ type: 'text', text: 'go on', ...mark }] })),
  ]
  for (const [count, has] of [
    [0, false],
    [1, true],
    [3, true],
    [4, false],
  ] as const) {
    const outcome = cut('messages', bodyOf('messages', marked(count)), { window: 1700 })
    assert.ok(outcome.type === 'cut')
    const note = itemsOf('messages', outcome.text).find(isNote)!
    assert.equal(JSON.stringify(note).includes('"ttl":"1h"'), has)
  }
})

test('a conversation that a provider keeps, and one that has no list, leave as they came', () => {
  const kept = JSON.stringify({ model: 'm', previous_response_id: 'r1', input: itemsIn('responses', long(60)) })
  assert.deepEqual(cut('responses', kept, { window: 100 }), { type: 'whole', why: 'kept-elsewhere' })
  const text = JSON.stringify({ model: 'm', input: 'x'.repeat(9000) })
  assert.deepEqual(cut('responses', text, { window: 100 }), { type: 'whole', why: 'kept-elsewhere' })
})
