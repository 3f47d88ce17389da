import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { anyCharacter } from '../../test/arbitrary/characters.ts'
import { ALWAYS_ONE_CHUNK, splitIntoChunks } from './chunks.ts'
import type { Chunk } from './search-engine.ts'

const words = fc.constantFrom(
  'a',
  'Life begins.',
  'hot springs',
  '東京都。',
  'ภาษาไทย',
  '🇩🇪',
  'e\u0301',
  '\ud800',
  '\0',
  '?',
)
const marks = fc.constantFrom(
  '\n',
  '\n\n',
  ' ',
  '\r\n',
  '\t',
  '# ',
  '## B\n',
  '- ',
  '| x | y |\n',
  '```\n',
  '~~~',
  '---\n',
  '   ',
)
const texts = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 400, size: 'max' }),
  fc.array(fc.oneof(words, marks), { maxLength: 300, size: 'max' }).map((parts) => parts.join('')),
)
const options = fc.record({ size: fc.integer({ min: 32, max: 200 }), overlap: fc.integer({ min: 0, max: 100 }) })

test('a chunk has the exact text at its offset, and its line', () => {
  fc.assert(
    fc.property(texts, options, (text, sizes) => {
      for (const chunk of splitIntoChunks(text, sizes)) {
        assert.equal(text.slice(chunk.start, chunk.end), chunk.text)
        assert.equal(chunk.line, text.slice(0, chunk.start).split('\n').length)
        assert.equal(chunk.text.trim(), chunk.text)
        assert.ok(chunk.text.length > 0 && chunk.text.length <= sizes.size)
      }
    }),
  )
})

test('a text that is shorter than a third of a chunk is one chunk, whatever its layout', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const short = text.slice(0, Math.ceil(ALWAYS_ONE_CHUNK) - 1)
      const whole = short.trim()
      const chunks = splitIntoChunks(short).map(({ text: chunk, start }) => [chunk, start])
      assert.deepEqual(chunks, whole === '' ? [] : [[whole, short.indexOf(whole)]])
    }),
  )
})

test('all that is not blank is in a chunk', () => {
  fc.assert(
    fc.property(texts, options, (text, sizes) => {
      let covered = 0
      for (const chunk of splitIntoChunks(text, sizes)) {
        assert.equal(text.slice(covered, Math.max(covered, chunk.start)).trim(), '')
        covered = Math.max(covered, chunk.end)
      }
      assert.equal(text.slice(covered).trim(), '')
    }),
  )
})

test('chunks come in the order of the text, each with an id of its own, and the same text gives the same', () => {
  fc.assert(
    fc.property(texts, options, (text, sizes) => {
      const chunks = splitIntoChunks(text, sizes)
      const starts = chunks.map((chunk) => chunk.start)
      assert.deepEqual(
        starts,
        starts.toSorted((a, b) => a - b),
      )
      assert.equal(new Set(chunks.map((chunk) => chunk.id)).size, chunks.length)
      assert.deepEqual(splitIntoChunks(text, sizes), chunks)
    }),
  )
})

test('no character is torn, however many code points it is made of', () => {
  for (const character of ['😀', '🇩🇪', '👩‍👩‍👧‍👦', 'e\u0301']) {
    const text = character.repeat(500)
    for (const chunk of splitIntoChunks(text, { size: 100, overlap: 10 })) {
      assert.equal(chunk.text, character.repeat(chunk.text.length / character.length))
      assert.equal(chunk.start % character.length, 0)
    }
  }
  // A letter with more marks than a chunk has room for is torn all the same, but never a surrogate pair.
  const letter = `a${'\u{1d165}'.repeat(200)}`
  for (const { text } of splitIntoChunks(letter, { size: 33 })) assert.ok(text.isWellFormed())
})

test('a chunk has the headings above it', () => {
  const text = '# Life\n\nBefore all.\n\n## Early\n\nIt began.\n\n### Where\n\nIn water.\n\n## Late\n\nIt went on.'
  assert.deepEqual(outline(splitIntoChunks(text, { size: 32 })), [
    'Life | 1 | # Life\n\nBefore all.',
    'Life > Early | 5 | ## Early\n\nIt began.',
    'Life > Early > Where | 9 | ### Where\n\nIn water.',
    'Life > Late | 13 | ## Late\n\nIt went on.',
  ])
})

test('headings may be underlined, and what looks like one within code is code', () => {
  const text = 'Life\n====\n\nIt began in hot water, they say.\n\n```sh\n# no heading\n```\n\nEarly\n-----\nAnd then.'
  assert.deepEqual(outline(splitIntoChunks(text, { size: 48 })), [
    'Life | 1 | Life\n====\n\nIt began in hot water, they say.',
    'Life | 6 | ```sh\n# no heading\n```',
    'Life > Early | 10 | Early\n-----\nAnd then.',
  ])
})

test('short sections share a chunk, under the headings that they have in common', () => {
  const text = '# List\n\n## A\n\none\n\n## B\n\ntwo\n\n## C\n\nthree'
  assert.deepEqual(outline(splitIntoChunks(text)), [`List | 1 | ${text}`])
})

test('a heading stays with the text after it', () => {
  const before = 'Some words to begin with. '.repeat(4).trim()
  const chunks = splitIntoChunks(`${before}\n\n## Next\n\nWhat it says.`, { size: 120 })
  assert.deepEqual(
    chunks.map((chunk) => chunk.text),
    [before, '## Next\n\nWhat it says.'],
  )
})

test('paragraphs, lists, tables and code stay whole where they fit', () => {
  const parts = [
    'A paragraph of some length that says one thing.',
    '- first item\n- second item\n- third item',
    '| a | b |\n| - | - |\n| 1 | 2 |',
    '```ts\nconst a = 1\n\nconst b = 2\n```',
  ]
  assert.deepEqual(
    splitIntoChunks(parts.join('\n\n'), { size: 50 }).map((chunk) => chunk.text),
    parts,
  )
})

test('a list, a table or code that is too long is torn between lines', () => {
  const row = '| one | two | three |'
  for (const chunk of splitIntoChunks(Array.from({ length: 40 }, () => row).join('\n'), { size: 120 })) {
    assert.deepEqual([...new Set(chunk.text.split('\n'))], [row])
  }
})

test('a paragraph that is too long is torn between sentences, and its parts share some', () => {
  const sentence = 'Life began in warm water, or so they say.'
  const chunks = splitIntoChunks(Array.from({ length: 30 }, () => sentence).join(' '), { size: 400, overlap: 50 })
  for (const chunk of chunks) assert.match(chunk.text, /^(?:Life began in warm water, or so they say\. ?)+$/)
  for (const [index, chunk] of chunks.slice(1).entries())
    assert.equal(chunks[index]!.end - chunk.start, sentence.length)
})

test('lines that were wrapped end no sentence', () => {
  const text = 'Life began in warm\nwater, or so they say.\n'.repeat(20)
  for (const chunk of splitIntoChunks(text, { size: 200 })) assert.match(chunk.text, /they say\.$/)
})

test('words of languages without blanks end at a sentence too', () => {
  for (const chunk of splitIntoChunks('研究生命起源是一个古老的问题。'.repeat(50), { size: 200 }))
    assert.match(chunk.text, /。$/)
})

test('a chunk tells the page that it begins on', () => {
  const pages = ['First page.\n\n', 'Second page.\n\n', '', 'Fourth page.']
  const starts = pages.map((_, index) => pages.slice(0, index).join('').length)
  assert.deepEqual(
    splitIntoChunks(pages.join(''), { pages: starts, size: 32 }).map((chunk) => [
      chunk.page,
      chunk.text.replaceAll('\n', ' '),
    ]),
    [
      [1, 'First page.  Second page.'],
      [4, 'Fourth page.'],
    ],
  )
})

test('a text of blanks has no chunks', () => {
  assert.deepEqual(splitIntoChunks(''), [])
  assert.deepEqual(splitIntoChunks(' \n\t\r\n\u3000'), [])
})

test('a size that no character fits in is refused', () => {
  assert.throws(() => splitIntoChunks('a', { size: 31 }), { message: /at least 32/ })
  assert.throws(() => splitIntoChunks('a', { overlap: -1 }), { message: /0 or more/ })
  assert.throws(() => splitIntoChunks('a', { size: Number.NaN }), RangeError)
})

/** Each would take minutes, or the memory of the machine, if anything in it grew with the square of the length. */
test('texts made to be slow are chunked like any other', () => {
  const hostile = {
    'one line without blanks': 'a'.repeat(2_000_000),
    'a heading on each line': '# a\n'.repeat(400_000),
    'underlines everywhere': 'a\n==\n'.repeat(300_000),
    'blank lines': `a${'\n'.repeat(2_000_000)}b`,
    'a long blank line': `a${' '.repeat(2_000_000)}b`,
    'marks on one letter': `a${'\u0301'.repeat(1_000_000)}`,
    'sentences without end': 'a. '.repeat(600_000),
    'fences that open and close': '```\n'.repeat(400_000),
    'a fence that never closes': `\`\`\`\n${'x\n'.repeat(600_000)}`,
    'nested headings': Array.from({ length: 100_000 }, (_, index) => `${'#'.repeat((index % 6) + 1)} h\nt\n`).join(''),
  }
  for (const [name, text] of Object.entries(hostile)) {
    const chunks = splitIntoChunks(text)
    assert.ok(chunks.length >= 1 && chunks.length <= text.length / 150 + 2, `${name}: ${chunks.length} chunks`)
  }
})

function outline(chunks: readonly Chunk[]): readonly string[] {
  return chunks.map((chunk) => `${chunk.headings.join(' > ')} | ${chunk.line} | ${chunk.text}`)
}
