import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { longNotesLines, notesForm, notesPage, splitLines, wholeLines } from './lines.ts'

const table: readonly (readonly [string, readonly string[]])[] = [
  ['', []],
  ['a', ['a']],
  ['a\n', ['a']],
  ['a\n\n', ['a', '']],
  ['\n', ['']],
  ['a\nb', ['a', 'b']],
  ['a\r\nb\r\n', ['a', 'b']],
  ['a\rb\r', ['a', 'b']],
  ['a\n\rb', ['a', '', 'b']],
  ['a\r\r\nb', ['a', '', 'b']],
  ['a\u2028b\u0085c\fd', ['a\u2028b\u0085c\fd']],
]

for (const [text, lines] of table) {
  test(`${JSON.stringify(text)} has the lines ${JSON.stringify(lines)}`, () =>
    assert.deepEqual(splitLines(text), lines))
}

test('whole lines, joined, are the text', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('\n', '\r', 'a', ' ', '🌊')), (parts) => {
      assert.equal(wholeLines(parts.join('')).join(''), parts.join(''))
      assert.equal(splitLines(parts.join('')).length, wholeLines(parts.join('')).length)
    }),
  )
})

const most = 20_000

test('notes of at most 40 lines are returned as they are', () => {
  for (const count of [0, 1, 39, 40]) {
    for (const end of ['\n', '\r\n', '\r']) {
      const open = numbered(count).join(end)
      assert.deepEqual(notesForm(open, most), { summary: open, truncated: false })
      assert.deepEqual(notesForm(`${open}${end}`, most), { summary: `${open}${end}`, truncated: false })
    }
  }
  assert.equal(longNotesLines, 40)
})

test('longer notes are their first 10 lines, how many are left out, and their last 30', () => {
  const form = (count: number) =>
    `${numbered(10).join('\n')}\n\n... [${count - 40} lines elided] ...\n\n${numbered(count).slice(-30).join('\n')}`
  for (const count of [41, 42, 1_000]) {
    for (const end of ['\n', '\r\n', '\r']) {
      assert.deepEqual(notesForm(numbered(count).join(end), most), { summary: form(count), truncated: true })
      assert.deepEqual(notesForm(numbered(count).join(end) + end, most), { summary: form(count), truncated: true })
    }
  }
})

test('few lines with too many characters keep a quarter of the room for the beginning, and say what is missing', () => {
  const text = `${'a'.repeat(100)}${'b'.repeat(1_000)}${'c'.repeat(300)}`
  assert.deepEqual(notesForm(text, 400), {
    summary: `${'a'.repeat(100)}\n\n[400 of 1400 characters shown; read_full_notes reads the rest]\n\n${'c'.repeat(300)}`,
    truncated: true,
  })
})

test('many lines with too many characters keep their form, and say what is missing', () => {
  const text = [
    ...Array.from({ length: 10 }, () => 'a'.repeat(50)),
    'x',
    ...Array.from({ length: 30 }, () => 'c'.repeat(50)),
  ]
  const { summary, truncated } = notesForm(text.join('\n'), 400)
  assert.equal(truncated, true)
  assert.match(
    summary,
    /^a{50}\na{49}\n\n\.\.\. \[1 lines elided\] \.\.\.\n\n\[400 of 2041 characters shown; read_full_notes reads the rest\]\n\nc+\n/,
  )
  assert.ok(summary.endsWith('c'.repeat(50)))
})

test('a character is never cut in two', () => {
  for (let length = 200; length < 208; length++) {
    assert.ok(notesForm(`x${'🌊'.repeat(400)}`, length).summary.isWellFormed())
  }
})

test('any notes: what is shown is their beginning and their end, within the limit, and the same each time', () => {
  const line = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.constant('note'))
  const text = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 70, size: 'max' })
    .map((lines) => lines.flat().join(''))
  fc.assert(
    fc.property(text, fc.integer({ min: 200, max: 3_000 }), (notes, maxChars) => {
      const { summary, truncated } = notesForm(notes, maxChars)
      assert.deepEqual(notesForm(notes, maxChars), { summary, truncated })
      const lines = splitLines(notes)
      assert.equal(truncated, lines.length > 40 || notes.length > maxChars)
      if (!truncated) return assert.equal(summary, notes)
      assert.ok(summary.length <= maxChars + 130)
      if (lines.length <= 40) return
      const [head = '', tail = ''] = summary.split(`\n\n... [${lines.length - 40} lines elided] ...\n\n`)
      assert.ok(lines.slice(0, 10).join('\n').startsWith(head))
      const end = tail.replace(/^\[\d+ of \d+ characters shown; read_full_notes reads the rest\]\n\n/, '')
      assert.ok(lines.slice(-30).join('\n').endsWith(end))
      if (end === tail)
        assert.equal(`${head}|${end}`, `${lines.slice(0, 10).join('\n')}|${lines.slice(-30).join('\n')}`)
    }),
  )
})

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, place) => `line ${place + 1}`)
}

test('a page has the first 200 lines by default, and names the offset of the next page', () => {
  const text = Array.from({ length: 450 }, (_, place) => `line ${place}\n`).join('')
  const { text: shown, ...page } = notesPage(text, {}, most)
  assert.equal(splitLines(shown).length, 200)
  assert.deepEqual(page, { offset: 0, lines: 200, total: 450, next_offset: 200 })
  assert.deepEqual(notesPage(text, { offset: 448, limit: 1 }, most), {
    text: 'line 448\n',
    offset: 448,
    lines: 1,
    total: 450,
    next_offset: 449,
  })
})

test('behind the end there is nothing, and no further page', () => {
  assert.deepEqual(notesPage('a\nb', { offset: 7 }, most), {
    text: '',
    offset: 7,
    lines: 0,
    total: 2,
    next_offset: null,
  })
  assert.deepEqual(notesPage('', {}, most), { text: '', offset: 0, lines: 0, total: 0, next_offset: null })
})

test('a page ends before it has too many characters; a line that is too long alone is shown in part', () => {
  const text = `${'a'.repeat(150)}\n${'b'.repeat(150)}\n${'c'.repeat(500)}\nd`
  const lines = (offset: number) => notesPage(text, { offset }, 200).lines
  assert.deepEqual([lines(0), lines(1), lines(2), lines(3)], [1, 1, 1, 1])
  assert.match(
    notesPage(text, { offset: 2 }, 200).text,
    /^c{200}\n\n\[200 of 501 characters shown; the setting subjects\.maxTextChars says how many\]$/,
  )
})

test('all pages, joined, are the notes', () => {
  const text = fc
    .array(fc.tuple(fc.string({ maxLength: 50 }), fc.constantFrom('\n', '\r\n', '\r')))
    .map((lines) => lines.flat().join(''))
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 60, max: 120 }), (notes, limit, maxChars) => {
      let read = ''
      for (let offset: number | null = 0; offset !== null;) {
        const page = notesPage(notes, { offset, limit }, maxChars)
        read += page.text
        offset = page.next_offset
      }
      assert.equal(read, notes)
    }),
  )
})
