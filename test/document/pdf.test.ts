import assert from 'node:assert/strict'
import test from 'node:test'
import { usualLimits } from '../../src/document/reading-limits.ts'
import { readBytes } from '../../src/document/read-bytes.ts'
import type { ReadingProgress } from '../../src/document/reading-task.ts'
import { pdfFile, pdfOf } from './files/pdf-file.ts'
import { codeOf, read, textOf } from './read.ts'

test('a PDF gives its text with the place where each page begins, and its title', async () => {
  const document = await read(
    pdfFile(['First (1)\nsecond line\n\nAnother paragraph', 'Page two'], { title: 'A report' }),
    'a',
  )
  assert.deepEqual(document, {
    kind: 'text',
    text: 'First (1)\nsecond line\n\nAnother paragraph\n\nPage two',
    pages: [0, 42],
    title: 'A report',
    mediaType: 'application/pdf',
  })
})

test('300 pages keep their order and their reported positions, with progress for each page', async () => {
  const pages = Array.from({ length: 300 }, (_, index) => `This is page ${index + 1}.`)
  const progress: ReadingProgress[] = []
  const task = { name: 'a', limits: usualLimits, onProgress: (one: ReadingProgress) => progress.push(one) }
  const document = await readBytes(pdfFile(pages), task)
  assert.ok(document.kind === 'text' && document.pages)
  const { text, pages: places } = document
  assert.deepEqual(
    places.map((place, index) => text.slice(place, places[index + 1]).trim()),
    pages,
  )
  assert.deepEqual(
    progress,
    pages.map((_, index) => ({ page: index + 1, pages: 300 })),
  )
})

test('a page without text keeps its number and is counted', async () => {
  const document = await read(pdfFile(['One', '', 'Three']), 'a')
  assert.deepEqual(document.kind === 'text' && [document.text, document.pages], [
    'One\n\n\n\nThree\n\n(not in this text: 1 × pages without text)',
    [0, 5, 7],
  ])
})

for (const [what, annotation, expected] of [
  ['a note', '/Subtype /Text /Contents (Check  this)', 'Hello\n(note: Check this)'],
  ['a text upon a page', '/Subtype /FreeText /Contents (Draft) /DA (/F1 9 Tf)', 'Hello\n(note: Draft)'],
  ['a filled field', '/Subtype /Widget /FT /Tx /T (name) /V (Ada)', 'Hello\n(field name: Ada)'],
  ['a ticked box', '/Subtype /Widget /FT /Btn /T (agree) /V /Yes /AS /Yes', 'Hello\n(field agree: Yes)'],
  ['an empty field', '/Subtype /Widget /FT /Tx /T (name)', 'Hello'],
  ['a field for a password', '/Subtype /Widget /FT /Tx /Ff 8192 /T (secret) /V (word)', 'Hello'],
  ['a signature', '/Subtype /Widget /FT /Sig /T (s)', 'Hello\n\n(not in this text: 1 × signatures)'],
  ['a stamp', '/Subtype /Stamp', 'Hello\n\n(not in this text: 1 × stamps)'],
  [
    'a drawing by hand',
    '/Subtype /Ink /InkList [[1 1 2 2]]',
    'Hello\n\n(not in this text: 1 × drawings upon its pages)',
  ],
  ['a mark in the text', '/Subtype /Highlight /QuadPoints [1 1 2 1 1 2 2 2]', 'Hello'],
  ['a film', '/Subtype /RichMedia', 'Hello\n\n(not in this text: 1 × recordings)'],
  ['a link', '/Subtype /Link /A << /S /URI /URI (https://example.org) >>', 'Hello'],
] as const) {
  test(`of a PDF, ${what} is read or counted`, async () => {
    assert.equal(
      await textOf(pdfFile(['Hello'], { annotations: `[<< /Type /Annot /Rect [1 1 9 9] ${annotation} >>]` }), 'a'),
      expected,
    )
  })
}

test('of a PDF, images, embedded files, and entries of the outline that no page has are counted', async () => {
  const catalog = '/Names << /EmbeddedFiles << /Names [(a.txt) 7 0 R] >> >> /Outlines 9 0 R'
  const objects = [
    '<< /Type /Filespec /F (a.txt) /EF << /F 8 0 R >> >>',
    '<< /Type /EmbeddedFile /Length 1 >>\nstream\nx\nendstream',
    '<< /First 10 0 R /Last 11 0 R /Count 2 >>',
    '<< /Title (Hello) /Parent 9 0 R /Next 11 0 R >>',
    '<< /Title (Unseen) /Parent 9 0 R >>',
    '<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /SMask 13 0 R /Length 1 >>\nstream\nx\nendstream',
    '<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /Length 1 >>\nstream\nx\nendstream',
  ]
  const pdf = pdfFile(['Hello'], { catalog, objects })
  assert.equal(
    await textOf(pdf, 'a'),
    'Hello\n\n(not in this text: 1 × embedded files, 1 × entries of its outline, 1 × images)',
  )
})

test('a PDF without text, with a password, or broken gives an error', async () => {
  assert.equal(await textOf(pdfFile(['', '']), 'a'), 'no-text: its pages contain no text; they may be scanned images')
  assert.equal(
    await textOf(pdfFile(['x'], { encrypted: true }), 'a'),
    'encrypted: the file is protected by a password; save it without one',
  )
  assert.equal(await codeOf('%PDF-1.7\nnothing of a PDF follows\n%%EOF', 'a'), 'broken')
})

test('a truncated PDF is broken, not half a text', async () => {
  const whole = pdfFile(Array.from({ length: 20 }, (_, index) => `Page ${index}`))
  for (const share of [0.1, 0.5, 0.9, 0.99]) {
    // oxlint-disable-next-line no-await-in-loop -- one after another reads better when it fails
    assert.equal(await codeOf(whole.subarray(0, Math.floor(whole.length * share)), 'a'), 'broken', `${share}`)
  }
})

test('too many pages, and too much text, are refused with the numbers', async () => {
  assert.equal(
    await textOf(pdfFile(['1', '2', '3']), 'a', { limits: { pages: 2 } }),
    'too-large: it has 3 pages; at most 2 are read',
  )
  assert.equal(
    await textOf(pdfFile(['x'.repeat(80), 'y'.repeat(80)]), 'a', { limits: { characters: 100 } }),
    'too-large: its text has 162 characters; at most 100 are taken',
  )
})

test('a damaged page is named in its place, and the others are read', async () => {
  const fine = 'BT /F1 12 Tf 50 800 Td (Fine) Tj ET'
  assert.equal(
    await textOf(pdfOf([fine, ') ] >> nonsense', fine]), 'a'),
    'Fine\n\n(page 2 is damaged and cannot be read)\n\nFine',
  )
  assert.equal(await textOf(pdfOf([') ] >>', ')']), 'a'), 'broken: none of its pages can be read')
})
