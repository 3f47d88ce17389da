import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { linesOf } from './lines.ts'
import { notesPage } from './notes-page.ts'

const most = 20_000

test('a page holds 200 lines from the beginning unless more is said, and says where to go on', () => {
  const text = Array.from({ length: 450 }, (_, place) => `line ${place}\n`).join('')
  const { text: shown, ...page } = notesPage(text, {}, most)
  assert.equal(linesOf(shown).length, 200)
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

for (const page of [
  { offset: -1 },
  { offset: 0.5 },
  { offset: Number.NaN },
  { limit: 0 },
  { limit: -3 },
  { limit: 1.5 },
]) {
  test(`${JSON.stringify(page)} is no page`, () => {
    assert.throws(() => notesPage('a', page, most), { name: 'SubjectError', code: 'invalid-input' })
  })
}

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
