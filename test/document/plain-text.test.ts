import assert from 'node:assert/strict'
import test from 'node:test'
import { decodedFile, encodedBytes } from '../../src/document.ts'
import { codeOf, read, textOf } from './read.ts'

const latin = (text: string) => Buffer.from(text, 'latin1')
const wide = (text: string) => Buffer.from(text, 'utf16le')
const wideBig = (text: string) => wide(text).swap16()

test('text comes with line ends of one kind, without NUL, and without halves of characters', async () => {
  assert.deepEqual(await read('one\r\ntwo\rthree\n', 'notes.txt'), {
    kind: 'text',
    text: 'one\ntwo\nthree\n',
    mediaType: 'text/plain',
  })
  const long = 'a'.repeat(300)
  assert.equal(await textOf(`${long}\0b`, 'notes.txt'), `${long}b`)
  const half = wide('\ufeffhello \ud800 there').toString('binary')
  assert.equal((await textOf(latin(half + wide(long).toString('binary')), 'x')).isWellFormed(), true)
})

test('among the kinds of plain text the name decides', async () => {
  const typeOf = async (name: string) => (await read('a,b\n1,2\n', name)).mediaType
  assert.deepEqual(await Promise.all(['a.md', 'a.csv', 'a.TSV', 'a.json', 'a.svg', 'a.rs', 'Makefile'].map(typeOf)), [
    'text/markdown',
    'text/csv',
    'text/tab-separated-values',
    'application/json',
    'image/svg+xml',
    'text/plain',
    'text/plain',
  ])
})

test('every character set that says what it is is read', async () => {
  const said = 'Grüße, 你好, 👋'
  assert.equal(await textOf(said, 'a.txt'), said)
  assert.equal(await textOf(`\ufeff${said}`, 'a.txt'), said)
  assert.equal(await textOf(wide(`\ufeff${said}`), 'a.txt'), said)
  assert.equal(await textOf(wideBig(`\ufeff${said}`), 'a.txt'), said)
})

test('UTF-16 is recognised without a mark where most of it is in Western script', async () => {
  const said = 'A plain letter — with a dash.'
  assert.equal(await textOf(wide(said), 'a.txt'), said)
  assert.equal(await textOf(wideBig(said), 'a.txt'), said)
})

test('a declared character set is taken, unless the bytes are UTF-8', async () => {
  const xml = '<?xml version="1.0" encoding="koi8-r"?><a>\xf0\xd2\xc9</a>'
  assert.match(await textOf(latin(xml), 'a.xml'), /<a>При<\/a>/)
  assert.equal(await textOf(latin('\x82\xb1\x82\xf1'), 'a.txt', { charset: 'shift_jis' }), 'こん')
  assert.equal(await textOf('Grüße', 'a.txt', { charset: 'iso-8859-1' }), 'Grüße')
  assert.equal(await textOf('plain', 'a.txt', { charset: 'no-such-set' }), 'plain')
})

test('what is not UTF-8 is windows-1252, if it can be', async () => {
  assert.equal(await textOf(latin('Gr\xfc\xdfe aus K\xf6ln, \x93zitiert\x94'), 'a.txt'), 'Grüße aus Köln, “zitiert”')
})

test('UTF-8 with a broken byte stays UTF-8', async () => {
  const bytes = Buffer.concat([Buffer.from('Grüße und Äpfel. '.repeat(20)), Buffer.from([0xff]), Buffer.from('End')])
  assert.match(await textOf(bytes, 'a.txt'), /Äpfel\. \ufffdEnd$/)
})

test('a log with a run of NULs, and a text with the end mark of older systems, are text', async () => {
  const log = Buffer.concat([Buffer.from('high\n'), Buffer.alloc(5000), Buffer.from('low\n')])
  assert.equal(await textOf(log, 'a.log'), 'high\nlow\n')
  assert.equal(await textOf('high\r\n\x1a\x1a', 'a.txt'), 'high\n')
  assert.equal(await codeOf(Buffer.alloc(5000), 'a.log'), 'binary')
})

test('bytes that are not text in any known character set are binary', async () => {
  const every = Buffer.from(Array.from({ length: 2560 }, (_, index) => (index * 7) % 256))
  assert.deepEqual(await read(every, 'a.txt'), {
    kind: 'unreadable',
    code: 'binary',
    reason: 'it is not text, or its character set cannot be detected; save it as UTF-8, PDF or docx',
    mediaType: 'application/octet-stream',
  })
  assert.equal(await codeOf(latin('\xf0\xd2\xc9\xd7\xc5\xd4'.repeat(20)), 'russian.txt'), 'binary')
})

test('nothing, and nothing but blanks, is empty', async () => {
  assert.equal(await textOf('', 'a.txt'), 'empty: the file is empty')
  assert.equal(await textOf(' \n\t\r\n', 'a.md'), 'empty: the file contains only blanks')
  assert.equal(await textOf('\ufeff', 'a.md'), 'empty: the file contains only blanks')
})

test('a text or a file above its limit is refused with the numbers', async () => {
  assert.equal(
    await textOf('x'.repeat(1001), 'a.txt', { limits: { characters: 1000 } }),
    'too-large: its text has 1,001 characters; at most 1,000 are taken',
  )
  assert.equal(await textOf('x'.repeat(1000), 'a.txt', { limits: { characters: 1000 } }), 'x'.repeat(1000))
  assert.equal(
    await textOf('x'.repeat(3 * 2 ** 20), 'a.txt', { limits: { bytes: 2 ** 20 } }),
    'too-large: the file has 3 MiB; at most 1 MiB are read',
  )
})

const widest = (text: string) => Buffer.from(Uint32Array.from(text, (character) => character.codePointAt(0)!).buffer)

for (const [what, bytes, said] of [
  ['UTF-32', widest('\ufeffGröße 🌊\n'), 'Größe 🌊\n'],
  ['UTF-32 of the other order', widest('\ufeffGröße 🌊\n').swap32(), 'Größe 🌊\n'],
  ['UTF-32 without a mark', widest('A plain letter — with a dash. 🌊'), 'A plain letter — with a dash. 🌊'],
  ['UTF-32 of the other order without a mark', widest('A plain letter.').swap32(), 'A plain letter.'],
  ['GB 18030 with its mark', latin('\x84\x31\x95\x33\xc4\xe3'), '你'],
] as const) {
  test(`${what} is read`, async () => assert.equal(await textOf(bytes, 'a.txt'), said))
}

test('a table of numbers and broken UTF-32 are no text', async () => {
  const numbers = Buffer.from(Uint32Array.from({ length: 2_000 }, (_, index) => index * 7).buffer)
  assert.equal(await codeOf(numbers, 'a.txt'), 'binary')
  assert.equal(await codeOf(Buffer.from(Uint32Array.from([0xfeff, 0xd800, 0x110000]).buffer), 'a.txt'), 'binary')
})

for (const encoding of ['utf-32le', 'utf-32be'] as const) {
  test(`a file in ${encoding} is written as it was`, () => {
    const bytes = encoding === 'utf-32le' ? widest('\ufeffGröße 🌊\n') : widest('\ufeffGröße 🌊\n').swap32()
    const file = decodedFile(bytes)
    assert.deepEqual(file, { text: 'Größe 🌊\n', encoding, hasMark: true })
    assert.deepEqual(Buffer.from(encodedBytes(file)!), bytes)
  })
}
