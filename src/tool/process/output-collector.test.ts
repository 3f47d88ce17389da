import assert from 'node:assert/strict'
import test from 'node:test'
import { collectOutput, type ProgramOutput } from './program.ts'

test('characters that come in pieces are put together', () => {
  const bytes = Buffer.from('aü😀€z')
  const collector = collectOutput(100)
  for (const byte of bytes) collector.add(Buffer.from([byte]))
  assert.deepEqual(collector.end(), {
    text: 'aü😀€z',
    bytes: 11,
    characters: 6,
    truncated: false,
    binary: false,
  })
})

for (const [limit, text] of [
  [0, ''],
  [1, 'a'],
  [2, 'a'],
  [3, 'a😀'],
  [4, 'a😀b'],
  [5, 'a😀b'],
] as const) {
  test(`${limit} characters of a😀b are ${JSON.stringify(text)}`, () => {
    const output = collected('a😀b', limit)
    assert.deepEqual([output.text, output.characters, output.truncated], [text, 4, limit < 4])
  })
}

test('more text than a string can hold is cut and counted', () => {
  const collector = collectOutput(4)
  const piece = Buffer.alloc(8 * 2 ** 20, 'y\n')
  for (let pieces = 0; pieces < 75; pieces += 1) collector.add(piece)
  const { text, characters, truncated } = collector.end()
  assert.deepEqual([text, characters, truncated], ['y\ny\n', 75 * piece.length, true])
})

test('text that ends in the middle of a character keeps its place', () => {
  const output = collected(Buffer.from([...Buffer.from('twelve chars'), 0xf0, 0x9f]), 100)
  assert.deepEqual([output.text, output.binary], ['twelve chars\uFFFD', false])
})

test('a page in an older encoding is still text', () => {
  const output = collected(Buffer.from('Die Bären gehören in die Wälder.\n'.repeat(20), 'latin1'), 40)
  assert.deepEqual([output.binary, output.truncated], [false, true])
  assert.match(output.text, /^Die B\uFFFDren/)
})

for (const [what, bytes, line] of [
  ['a picture', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0], '[binary output: 10 bytes, image/png]'],
  ['a photograph', [0xff, 0xd8, 0xff, 0xe0, 0], '[binary output: 5 bytes, image/jpeg]'],
  ['a moving picture', [...Buffer.from('GIF89a'), 0], '[binary output: 7 bytes, image/gif]'],
  [
    'a web picture',
    [...Buffer.from('RIFF'), 1, 2, 3, 0, ...Buffer.from('WEBPVP8 ')],
    '[binary output: 16 bytes, image/webp]',
  ],
  ['a sound', [...Buffer.from('RIFF'), 1, 2, 3, 0, ...Buffer.from('WAVEfmt ')], '[binary output: 16 bytes, audio/wav]'],
  ['a document', [...Buffer.from('%PDF-1.7\n'), 0], '[binary output: 10 bytes, application/pdf]'],
  ['an archive', [0x50, 0x4b, 3, 4, 0], '[binary output: 5 bytes, application/zip]'],
  [
    'an archive of tapes',
    [...Buffer.alloc(257), ...Buffer.from('ustar')],
    '[binary output: 262 bytes, application/x-tar]',
  ],
  ['a compressed file', [0x1f, 0x8b, 8, 0], '[binary output: 4 bytes, application/gzip]'],
  ['a program', [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0], '[binary output: 8 bytes, application/x-elf]'],
  ['a database', [...Buffer.from('SQLite format 3\0')], '[binary output: 16 bytes, application/vnd.sqlite3]'],
  ['a single zero', [0], '[binary output: 1 byte]'],
  ['bytes that are no text', [0xe9, 0xe8, 0xff, 0x41], '[binary output: 4 bytes]'],
  ['much of it', Array.from({ length: 12_345 }, () => 0), '[binary output: 12,345 bytes]'],
] as const) {
  test(`${what} is named and not shown: ${line}`, () => {
    const output = collected(Buffer.from(bytes), 3)
    assert.deepEqual(output, {
      text: line,
      bytes: bytes.length,
      characters: output.characters,
      truncated: false,
      binary: true,
    })
  })
}

test('a zero that comes late makes the whole binary', () => {
  assert.equal(collected(Buffer.from(`${'text '.repeat(1000)}\0`), 10).text, '[binary output: 5,001 bytes]')
})

function collected(bytes: Buffer | string, limit: number): ProgramOutput {
  const collector = collectOutput(limit)
  const all = Buffer.from(bytes)
  for (let at = 0; at < all.length; at += 5) collector.add(all.subarray(at, at + 5))
  return collector.end()
}
