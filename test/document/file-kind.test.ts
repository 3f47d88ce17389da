import assert from 'node:assert/strict'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { imageFiles } from './files/image-file.ts'
import { pdfFile } from './files/pdf-file.ts'
import { spreadsheetFile } from './files/spreadsheet-file.ts'
import { paragraph, wordFile } from './files/word-file.ts'
import { zipFile } from './files/zip-file.ts'
import { codeOf, read, textOf } from './read.ts'

test('a file is what its bytes are, whatever it is called', async () => {
  assert.equal(await textOf(pdfFile(['Hello.']), 'holiday.png'), 'Hello.')
  assert.equal(await textOf(wordFile(paragraph('Hello.')), 'notes.txt'), 'Hello.')
  assert.equal(await codeOf(spreadsheetFile([{ name: 'A', rows: '<row><c><v>1</v></c></row>' }]), 'a.docx'), 'table')
  assert.equal(await codeOf(imageFiles['image/png']!(1, 1), 'report.pdf'), 'image')
  assert.equal(await textOf('just words', 'report.pdf'), 'just words')
  assert.equal(await textOf('<!DOCTYPE html><p>Hello.', 'report.doc'), 'Hello.')
})

test('the source of a page stays a source where its name says so', async () => {
  const source = '<!doctype html><p>Hello.</p>'
  assert.equal(await textOf(source, 'page.php'), source)
  assert.equal(await textOf(source, 'page.md'), source)
  assert.equal(await textOf(source, 'page.html'), 'Hello.')
  assert.equal(await textOf(source, 'page'), 'Hello.')
})

test('words that happen to begin like another format are words', async () => {
  for (const text of ['MZ is a sign.', 'BM 1 2', 'GIF89a is old', 'ID3 tags', 'BZh', 'It says %PDF-1.7 here.']) {
    // oxlint-disable-next-line no-await-in-loop -- one after another reads better when it fails
    assert.equal(await textOf(text, 'a.txt'), text)
  }
})

test('a PDF may start after other bytes', async () => {
  assert.equal(await textOf(Buffer.concat([Buffer.from('\n\n'), pdfFile(['Hello.'])]), 'a.pdf'), 'Hello.')
  assert.equal(await textOf(Buffer.concat([Buffer.from('mail junk '), pdfFile(['Hello.'])]), 'a.pdf'), 'Hello.')
})

test('unsupported files are named, with what to do instead', async () => {
  const older = Buffer.concat([Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'), Buffer.alloc(600)])
  const locked = Buffer.concat([older, Buffer.from('EncryptedPackage', 'utf16le'), Buffer.alloc(60)])
  const declared = (type: string) => zipFile([{ name: 'mimetype', content: type, stored: true }])
  const cases: readonly (readonly [Uint8Array, string])[] = [
    [older, 'unsupported: it is an older Office document; save it as docx, xlsx or PDF'],
    [locked, 'encrypted: the file is protected by a password; save it without one'],
    [zipFile([{ name: 'a.txt', content: 'a' }]), 'unsupported: it is an archive; unpack it and hand in the files'],
    [zipFile([]), 'unsupported: it is an archive; unpack it and hand in the files'],
    [gzipSync('hello'), 'unsupported: it is an archive; unpack it and hand in the files'],
    [
      zipFile([{ name: 'ppt/presentation.xml', content: '' }]),
      'unsupported: slides (pptx) are not read; save them as PDF',
    ],
    [
      declared('application/vnd.oasis.opendocument.text'),
      'unsupported: OpenDocument files are not read; save it as docx, xlsx or PDF',
    ],
    [declared('application/epub+zip'), 'unsupported: books (EPUB) are not read; save it as PDF or HTML'],
    [Buffer.from('{\\rtf1 Hello}'), 'unsupported: it is a rich text document (RTF); save it as docx, PDF or text'],
    [Buffer.from('RIFF\x04\0\0\0WAVEfmt \x10\0\0\0', 'latin1'), 'an audio'],
    [Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0\0', 'latin1'), 'binary: it is a program'],
    [
      Buffer.from('II*\0\x08\0\0\0', 'latin1'),
      'unsupported: models do not accept this image format; save it as PNG or JPEG',
    ],
    [
      Buffer.from('\0\0\0\x18ftypisom\0\0\0\0', 'latin1'),
      'unsupported: it is a recording; of sound and film, WAV and MP3 are read',
    ],
  ]
  for (const [bytes, said] of cases) {
    // oxlint-disable-next-line no-await-in-loop -- one after another reads better when it fails
    assert.equal(await textOf(bytes, 'a.txt'), said)
  }
})

test('a part that a password protects makes the file encrypted', async () => {
  const locked = zipFile([{ name: 'word/document.xml', content: 'x', flags: 1 }])
  assert.equal(await codeOf(locked, 'a.docx'), 'encrypted')
})

test('a failure says what the file is, and nothing of its name', async () => {
  assert.deepEqual(await read(pdfFile(['']), 'secret-plan.pdf'), {
    kind: 'unreadable',
    code: 'no-text',
    reason: 'its pages contain no text; they may be scanned images',
    mediaType: 'application/pdf',
  })
})
