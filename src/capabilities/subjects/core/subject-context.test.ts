import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { anyCharacter } from '../../../../test/arbitrary/characters.ts'
import { declaredGenres, subjectContext, type SubjectTexts } from './subject-context.ts'

const limits = { maxTextChars: 20_000 }
const nothing: SubjectTexts = { tastes: new Map(), brief: '', notes: '', log: '', gaps: '' }

function read(texts: Partial<SubjectTexts>, maxTextChars = limits.maxTextChars) {
  return subjectContext({ ...nothing, ...texts }, { maxTextChars })
}

test('a fresh subject has every key, and nothing in it', () => {
  assert.deepEqual(read({}), {
    context: {
      tastes: { default: '', genres: {}, conflicts: [] },
      brief: { raw: '', intent: '', tastes: [] },
      notes: { summary: '', truncated: false },
      recent_log: [],
      recent_gaps: [],
    },
    warnings: [],
  })
})

test('the default taste always applies, and genres in the order in which the brief declares them', () => {
  const { context, warnings } = read({
    brief: 'Tastes: wide, underwater',
    tastes: new Map([
      ['_default', 'calm\n'],
      ['underwater', 'blue\nwarm'],
      ['wide', 'warm'],
      ['portrait', 'warm'],
    ]),
  })
  assert.deepEqual(Object.entries(context.tastes.genres), [
    ['wide', 'warm'],
    ['underwater', 'blue\nwarm'],
  ])
  assert.equal(context.tastes.default, 'calm\n')
  assert.deepEqual(context.tastes.conflicts, [{ point: 'warm', files: ['wide', 'underwater'] }])
  assert.deepEqual(warnings, [])
})

test('a genre whose file is missing or empty is none, and its name stays declared', () => {
  const { context } = read({
    brief: 'Tastes: a, b, c',
    tastes: new Map([
      ['b', ''],
      ['c', ' \n'],
    ]),
  })
  assert.deepEqual(context.tastes.genres, {})
  assert.deepEqual(context.brief.tastes, ['a', 'b', 'c'])
})

test('the default taste is in conflict with nobody, even where a brief declares it', () => {
  const tastes = new Map([
    ['_default', 'warm'],
    ['a', 'warm'],
  ])
  const { context } = read({ brief: 'Tastes: _default, a', tastes })
  assert.deepEqual(context.tastes.conflicts, [])
  assert.deepEqual(context.tastes.genres, { a: 'warm' })
})

test('a declared name that is not valid for a taste is reported and not requested', () => {
  const { context, warnings } = read({ brief: 'Tastes: ../secret, a, /etc/passwd, a' })
  assert.deepEqual(context.brief.tastes, ['../secret', 'a', '/etc/passwd', 'a'])
  assert.deepEqual(declaredGenres(context.brief.tastes), ['a'])
  assert.deepEqual(warnings, [
    'brief.md declares the taste "../secret" (and 1 more), which is no name of one. It has letters, digits, "_", "-" and ".", without "..", at most 200 of them.',
  ])
})

test('a taste by the name of __proto__ is a taste like any other', () => {
  const { context } = read({
    brief: 'Tastes: __proto__, constructor',
    tastes: new Map([
      ['__proto__', 'x y'],
      ['constructor', 'x y'],
    ]),
  })
  assert.deepEqual(Object.keys(context.tastes.genres), ['__proto__', 'constructor'])
  assert.equal(Object.getPrototypeOf(context.tastes.genres), Object.prototype)
  assert.deepEqual(context.tastes.conflicts, [{ point: 'x y', files: ['__proto__', 'constructor'] }])
})

test('a text that is too long is capped at a whole character, with a notice', () => {
  const long = `${'x'.repeat(199)}🌊${'y'.repeat(99)}`
  const { context } = read(
    {
      brief: `Tastes: a\n${long}`,
      tastes: new Map([
        ['_default', long],
        ['a', long],
      ]),
    },
    200,
  )
  const notice = (all: number, shown = 199) =>
    `\n\n[${shown} of ${all} characters shown; the setting subjects.maxTextChars says how many]`
  assert.equal(context.tastes.default, `${'x'.repeat(199)}${notice(300)}`)
  assert.equal(context.tastes.genres['a'], context.tastes.default)
  assert.equal(context.brief.intent, context.tastes.default)
  assert.ok(context.brief.raw.endsWith(notice(310, 200)))
  assert.deepEqual(context.tastes.conflicts, [])
})

test('conflicts are looked for in whole texts, and no more of them are shown than a text may have', () => {
  const lines = Array.from({ length: 100 }, (_, place) => `line ${place + 100}`).join('\n')
  const { context, warnings } = read(
    {
      brief: 'Tastes: a, b',
      tastes: new Map([
        ['a', lines],
        ['b', lines],
      ]),
    },
    200,
  )
  assert.equal(context.tastes.conflicts.length, 25)
  assert.deepEqual(warnings, ['75 more conflicts are not shown: the setting subjects.maxTextChars says how many.'])
})

test('a whole context stays within what a reply may have: all texts give way to one length, and say so', () => {
  const long = 'x'.repeat(19_000)
  const names = ['a', 'b', 'c', 'd']
  const texts = {
    brief: `Tastes: ${names.join()}\n${long}`,
    notes: long,
    tastes: new Map(['_default', ...names].map((name) => [name, `# ${long}`])),
    log: JSON.stringify({ op: 'crop', text: long }),
  }
  const { context, warnings } = subjectContext(
    { ...nothing, ...texts },
    { maxTextChars: 20_000, maxReplyChars: 30_000 },
  )
  const size = JSON.stringify(context).length
  assert.ok(size <= 30_000 && size > 29_900, String(size))
  const [, shown] = /^# x+\n\n\[(\d+) of 19002 characters shown; the setting subjects.maxReplyChars says/.exec(
    context.tastes.default,
  )!
  for (const text of Object.values(context.tastes.genres)) assert.equal(text, context.tastes.default)
  assert.equal(Number(shown), /^x+/.exec(context.brief.intent)![0].length)
  assert.match(context.notes.summary, /read_full_notes reads the rest/)
  assert.equal(context.notes.truncated, true)
  assert.deepEqual(warnings, [])

  const whole = subjectContext({ ...nothing, ...texts }, { maxTextChars: 20_000, maxReplyChars: 200_000 })
  assert.equal(whole.context.tastes.default, `# ${long}`)
})

test('where texts of 200 characters are still too many, lists show fewer entries, and a warning counts the others', () => {
  const names = Array.from({ length: 130 }, (_, at) => `taste-${'n'.repeat(150)}-${at}`)
  const control = '\u0001'.repeat(300)
  const line = JSON.stringify({ description: control.slice(0, 20), op: 'crop' })
  const { context, warnings } = subjectContext(
    {
      brief: `Tastes: ${names.join()}\n${control}`,
      notes: control,
      tastes: new Map(['_default', ...names].map((name) => [name, control])),
      log: `${line}\n`.repeat(20),
      gaps: `${line}\n`.repeat(20),
    },
    { maxTextChars: 20_000, maxReplyChars: 10_000 },
  )
  assert.ok(JSON.stringify(context).length <= 10_000)
  const genres = Object.keys(context.tastes.genres).length
  assert.deepEqual(warnings.slice(1, 3), [
    `${100 - genres} more genres are not shown: the setting subjects.maxReplyChars says how many all texts together may have.`,
    '30 more genres are not shown: 100 are read.',
  ])
  assert.match(warnings.at(-1)!, /^\d more gaps are not shown/)
})

test('the last 10 records are shown, newest first, with all other keys as details', () => {
  const log = Array.from({ length: 12 }, (_, at) => `{"timestamp":"t${at}","op":"crop","x":${at},"deep":{"y":[1]}}`)
  const { context, warnings } = read({ log: `${log.join('\n')}\n` })
  assert.equal(context.recent_log.length, 10)
  assert.deepEqual(context.recent_log[0], { timestamp: 't11', op: 'crop', details: { x: 11, deep: { y: [1] } } })
  assert.deepEqual(context.recent_log.at(-1)!.timestamp, 't2')
  assert.deepEqual(warnings, [])
})

test('blank lines are skipped in silence; broken ones and those without an object are counted', () => {
  const lines = ['{"op":"a"}', '', '   ', '{"op":', '[1]', '"text"', 'null', '7', '{"op":"b"}', '{"op":"c"} {"op":"d"}']
  const { context, warnings } = read({ log: lines.join('\r\n'), gaps: 'broken\n{"description":"x"}' })
  assert.deepEqual(
    context.recent_log.map(({ op }) => op),
    ['b', 'a'],
  )
  assert.deepEqual(
    context.recent_gaps.map(({ description }) => description),
    ['x'],
  )
  assert.deepEqual(warnings, [
    'log.jsonl: 6 lines are no JSON objects and were skipped.',
    'vocabulary_gaps.jsonl: 1 line is no JSON object and was skipped.',
  ])
})

test('a byte order mark, every kind of end of line and a last line without one do no harm', () => {
  const { context, warnings } = read({ log: '\uFEFF{"op":"a"}\r{"op":"b"}\r\n{"op":"c"}\n{"op":"d"}' })
  assert.deepEqual(
    context.recent_log.map(({ op }) => op),
    ['d', 'c', 'b', 'a'],
  )
  assert.deepEqual(warnings, [])
})

test('a record of the log has texts: empty where they are missing or null, and as JSON where they are something else', () => {
  const { context } = read({
    log: '{}\n{"timestamp":null,"op":null}\n{"timestamp":1767225600,"op":["x"],"details":{"a":1}}',
  })
  assert.deepEqual(context.recent_log, [
    { timestamp: '1767225600', op: '["x"]', details: { details: { a: 1 } } },
    { timestamp: '', op: '', details: {} },
    { timestamp: '', op: '', details: {} },
  ])
})

const emptyGap = {
  timestamp: '',
  image_id: '',
  description: '',
  session_id: null,
  snapshot_hash: null,
  intent: null,
  intent_category: 'uncategorized',
  missing_capability: null,
  operations_involved: [],
  vocabulary_used: [],
  satisfaction: null,
  workaround: null,
  notes: '',
}

test('a gap has every key, with its default where a line has none', () => {
  assert.deepEqual(read({ gaps: '{}' }).context.recent_gaps, [emptyGap])
  assert.deepEqual(read({ gaps: '{"description":"no masks","other":1}' }).context.recent_gaps, [
    { ...emptyGap, description: 'no masks' },
  ])
})

test('a blank category is no category, and a list keeps its texts alone', () => {
  const { context } = read({
    gaps: '{"intent_category":" \\t","vocabulary_used":["lift",7,null,"veil"],"operations_involved":[{"name":"crop"}]}',
  })
  assert.deepEqual(context.recent_gaps, [{ ...emptyGap, vocabulary_used: ['lift', 'veil'] }])
})

test('a gap keeps what a line says', () => {
  const gap = {
    timestamp: '2026-11-01T10:00:00Z',
    image_id: 'reef',
    description: 'no masks',
    session_id: 's1',
    snapshot_hash: 'abc',
    intent: 'lift the fish',
    intent_category: 'masking',
    missing_capability: 'mask',
    operations_involved: ['exposure', 'crop'],
    vocabulary_used: ['lift'],
    satisfaction: -1,
    workaround: 'exposure',
    notes: 'twice',
  }
  assert.deepEqual(read({ gaps: JSON.stringify(gap) }).context.recent_gaps, [gap])
  for (const satisfaction of [-1, 0, 1]) {
    assert.equal(read({ gaps: `{"satisfaction":${satisfaction}}` }).context.recent_gaps[0]!.satisfaction, satisfaction)
  }
})

test('a value of another kind is the default, never a broken shape', () => {
  for (const wrong of ['{}', '[[]]', '[7]', 'true', 'null', '7', '0.5', '" "']) {
    const line = `{${Object.keys(emptyGap)
      .map((key) => `"${key}":${wrong}`)
      .join(',')}}`
    const { intent_category, operations_involved, vocabulary_used, ...rest } = emptyGap
    const texts = Object.fromEntries(Object.keys(rest).map((key) => [key, key === 'satisfaction' ? null : ' ']))
    const expected = wrong === '" "' ? { ...emptyGap, ...texts } : emptyGap
    assert.deepEqual(read({ gaps: line }).context.recent_gaps, [expected])
    assert.deepEqual([intent_category, operations_involved, vocabulary_used], ['uncategorized', [], []])
  }
})

test('a key like __proto__ is a key and nothing else', () => {
  const line = '{"op":"x","__proto__":{"harm":true},"constructor":1}'
  const { context } = read({ log: line, gaps: line })
  const { details } = context.recent_log[0]!
  assert.deepEqual(Object.keys(details), ['__proto__', 'constructor'])
  assert.equal(Object.getPrototypeOf(details), Object.prototype)
  assert.equal('harm' in {}, false)
  assert.deepEqual(context.recent_gaps, [emptyGap])
})

test('a record that is nested without end is skipped like a broken one', () => {
  const deep = `{"op":"x","a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  assert.deepEqual(read({ log: `${deep}\n{"op":"y"}` }).warnings, [
    'log.jsonl: 1 line is no JSON object and was skipped.',
  ])
})

test('a record that is too long is shown in part', () => {
  const { context } = read(
    {
      log: JSON.stringify({ op: 'x', text: 'y'.repeat(500) }),
      gaps: JSON.stringify({ vocabulary_used: ['z'.repeat(500)] }),
    },
    200,
  )
  const notice = (all: number) =>
    `\n\n[200 of ${all} characters shown; the setting subjects.maxTextChars says how many]`
  assert.deepEqual(context.recent_log[0]!.details, { shortened: `{"text":"${'y'.repeat(191)}${notice(511)}` })
  assert.deepEqual(context.recent_gaps[0]!.vocabulary_used, [`["${'z'.repeat(198)}${notice(504)}`])
})

test('any texts are a subject: the shape holds, JSON brings it back, and the same texts give the same', () => {
  const line = fc.oneof(
    fc.json(),
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('Tastes: a, b', '# x', '{"op":1}', '{"timestamp":"t","__proto__":{}}', 'warm', ''),
  )
  const text = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r'))).map((lines) => lines.flat().join(''))
  const texts = fc.record({
    tastes: fc.array(fc.tuple(fc.constantFrom('_default', 'a', 'b'), text)).map((all) => new Map(all)),
    brief: text,
    notes: text,
    log: text,
    gaps: text,
  })
  fc.assert(
    fc.property(texts, fc.integer({ min: 200, max: 500 }), (given, maxTextChars) => {
      const first = subjectContext(given, { maxTextChars })
      assert.deepEqual(subjectContext(given, { maxTextChars }), first)
      assert.equal(JSON.stringify(JSON.parse(JSON.stringify(first))), JSON.stringify(first))
      const { context } = first
      assert.ok(context.recent_log.length <= 10 && context.recent_gaps.length <= 10)
      for (const gap of context.recent_gaps) assert.deepEqual(Object.keys(gap), Object.keys(emptyGap))
      for (const entry of context.recent_log) assert.deepEqual(Object.keys(entry), ['timestamp', 'op', 'details'])
      for (const { files } of context.tastes.conflicts) assert.ok(files.length >= 2)
    }),
  )
})
