import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { subjectContext } from './subject-context.ts'
import { subjectText } from './subject-text.ts'
import type { SubjectReading } from './subjects.ts'

const brief = '# Reef\n\nTastes: underwater, wide\n\nMake it calm.\n'
const reef = reading({
  brief,
  tastes: new Map([
    ['_default', 'Nothing loud.\n'],
    ['underwater', '- warm\n'],
    ['wide', '- warm\n'],
  ]),
  notes: 'The fish is a wrasse.\n',
  log: '{"timestamp":"2026-11-01","op":"crop","ratio":"4:3"}\n{"op":"exposure"}',
  gaps: '{"timestamp":"2026-11-02","description":"no masks","missing_capability":"mask","workaround":"crop"}',
})

test('the full form says everything there is, fullest and in the order of reading', () => {
  assert.equal(
    subjectText(reef, 'full'),
    `# Subject: reef

## Tastes

### _default

Nothing loud.

### underwater

- warm

### wide

- warm

### In several tastes: ask the person

- - warm (underwater, wide)

## Brief

# Reef


Make it calm.

## Notes

The fish is a wrasse.

## Done last, newest first

- exposure
- 2026-11-01 crop {"ratio":"4:3"}

## Could not be done, newest first

- 2026-11-02 no masks (missing: mask; instead: crop)`,
  )
})

test('the list says what there is, how large it is, and what reads it', () => {
  assert.equal(
    subjectText(reef, 'list'),
    'The subject reef has: taste _default (13 characters), taste underwater (6 characters), taste wide (6 characters), ' +
      'brief (22 characters), notes (21 characters), 2 records of what was done, 1 gap noted. read_context reads it.',
  )
})

test('a tool that cannot be called is not named', () => {
  const long = reading({ brief: 'x'.repeat(5_000), notes: 'note\n'.repeat(50) })
  assert.ok(!subjectText(long, 'list', []).includes('read_context'))
  assert.ok(!subjectText(long, 'excerpt', []).includes('read_'))
  assert.ok(subjectText(long, 'excerpt').includes('[1000 of 5000 characters shown; read_context shows more]'))
  assert.ok(subjectText(long, 'full').includes('## Notes (in part; read_full_notes reads all)'))
})

test('an excerpt shows how texts begin, how notes end, and the newest records', () => {
  const text = subjectText(
    reading({
      brief: `first ${'x'.repeat(3_000)} last`,
      notes: `oldest ${'x'.repeat(3_000)} newest`,
      log: Array.from({ length: 9 }, (_, at) => `{"op":"op ${at}"}`).join('\n'),
    }),
    'excerpt',
  )
  assert.match(text, /first x+… \[1000 of 3011 characters shown; read_context shows more\]/)
  assert.match(text, /\[1000 of 3014 characters shown; read_context shows more\] …x+ newest/)
  assert.ok(text.endsWith('- op 8\n- op 7\n- op 6\n- … and 6 more'), text.slice(-100))
})

test('a new subject is described in one line, in every form', () => {
  for (const form of ['full', 'excerpt', 'list'] as const) {
    assert.equal(subjectText(reading({}), form), 'The subject reef is new: nothing is known of it yet.')
  }
})

test('a record stays one line, whatever it says', () => {
  const text = subjectText(reading({ log: '{"timestamp":"a\\nb","op":"c\\n# d"}' }), 'full')
  assert.ok(text.endsWith('\n\n- a b c # d'), text)
})

test('an excerpt is never longer than the whole, and the same reading gives the same text', () => {
  const text = fc.array(fc.string({ unit: 'grapheme', maxLength: 300 })).map((lines) => lines.join('\n'))
  const log = fc
    .array(fc.record({ op: fc.string({ maxLength: 400 }), x: fc.jsonValue() }))
    .map((records) => records.map((record) => JSON.stringify(record)).join('\n'))
  fc.assert(
    fc.property(text, text, log, (intent, notes, records) => {
      const some = reading({ brief: intent, notes, log: records })
      const [full, excerpt] = [subjectText(some, 'full'), subjectText(some, 'excerpt')]
      assert.ok(excerpt.length <= full.length)
      assert.equal(subjectText(some, 'full'), full)
    }),
  )
})

function reading(texts: Partial<Parameters<typeof subjectContext>[0]>): SubjectReading {
  const given = { tastes: new Map(), brief: '', notes: '', log: '', gaps: '', ...texts }
  return { id: 'reef', ...subjectContext(given, { maxTextChars: 20_000 }) }
}
