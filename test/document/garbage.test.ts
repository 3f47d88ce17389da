import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { imageFiles } from './files/image-file.ts'
import { pdfFile } from './files/pdf-file.ts'
import { spreadsheetFile } from './files/spreadsheet-file.ts'
import { paragraph, table, wordFile } from './files/word-file.ts'
import { read } from './read.ts'

const names = ['a', 'a.txt', 'a.md', 'a.html', 'a.xml', 'a.pdf', 'a.docx']
const kinds = ['text', 'table', 'image', 'audio', 'unreadable']

const files = [
  pdfFile(['Hello.', 'Page two.']),
  wordFile(paragraph('Hello.') + table([['a', 'b']])),
  spreadsheetFile([{ name: 'S', rows: '<row r="1"><c r="A1"><v>1</v></c></row>' }]),
  Buffer.from('<!doctype html><title>T</title><table><tr><td>a<td>b</table><ul><li>x</ul>'),
  Buffer.from('\ufeffwide', 'utf16le'),
  ...Object.values(imageFiles).map((imageOf) => imageOf(12, 34)),
]

async function isAnswered(bytes: Uint8Array, name: string): Promise<void> {
  const document = await read(bytes, name)
  assert.ok(kinds.includes(document.kind))
  if (document.kind === 'unreadable') assert.notEqual(document.reason, '')
  else if ('text' in document) assert.ok(document.text.isWellFormed() && !document.text.includes('\0'))
}

test('any bytes give a result', async () => {
  const bytes = fc.uint8Array({ maxLength: 5000, size: 'max' })
  await fc.assert(fc.asyncProperty(bytes, fc.constantFrom(...names), isAnswered), { numRuns: 300 })
})

test('bytes that begin like a known format are answered too', async () => {
  const signs = fc.constantFrom(
    '%PDF-1.7\n',
    'PK\x03\x04',
    'GIF89a',
    '\x89PNG\r\n\x1a\n',
    '\xff\xd8\xff',
    '<!doctype html>',
    '{\\rtf',
  )
  const bytes = fc.tuple(signs, fc.uint8Array({ maxLength: 300 }))
  await fc.assert(
    fc.asyncProperty(bytes, ([sign, rest]) => isAnswered(Buffer.concat([Buffer.from(sign, 'latin1'), rest]), 'a')),
    { numRuns: 300 },
  )
})

test('a file with bytes changed, cut or doubled is answered', async () => {
  const change = fc.record({
    file: fc.constantFrom(...files),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
    cut: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(change, async ({ file, at, bytes, cut }) => {
      const changed = Buffer.from(file)
      changed.set(bytes.subarray(0, changed.length), Math.floor(at * Math.max(0, changed.length - bytes.length)))
      await isAnswered(changed.subarray(0, Math.ceil((cut ?? 1) * changed.length)), 'a.html')
    }),
    { numRuns: 300 },
  )
})

test('every page gives a result', async () => {
  const tags = fc.constantFrom(
    'div',
    'p',
    'a',
    'b',
    'ul',
    'li',
    'table',
    'tr',
    'td',
    'pre',
    'code',
    'br',
    'h1',
    'body',
    'html',
    'script',
  )
  const piece = fc.oneof(
    tags.map((tag) => `<${tag}>`),
    tags.map((tag) => `</${tag}>`),
    fc.constantFrom(
      '<a href="',
      '">',
      '&amp;',
      '<!--',
      '-->',
      '<td colspan=3 rowspan=2>',
      '<ol start=x>',
      '<base href=":">',
    ),
    fc.string(),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), (pieces) =>
      isAnswered(Buffer.from(pieces.join('')), 'a.html'),
    ),
    { numRuns: 500 },
  )
})
