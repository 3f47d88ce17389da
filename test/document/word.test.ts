import assert from 'node:assert/strict'
import test from 'node:test'
import { headingStyles, paragraph, table, wordFile } from './files/word-file.ts'
import { zipFile } from './files/zip-file.ts'
import { codeOf, read, textOf } from './read.ts'

test('a docx gives its headings, paragraphs and tables as Markdown', async () => {
  const body = [
    paragraph('Annual report', 'Heading1'),
    paragraph('Costs rose by 5 % &amp; more.'),
    paragraph('Figures', 'Heading2'),
    table([
      ['Year', 'Costs'],
      ['2024', '10|20'],
    ]),
  ]
  const properties = {
    name: 'docProps/core.xml',
    content:
      '<p:coreProperties xmlns:dc="x"><dc:title>Report &amp; figures</dc:title><dc:creator>A. Nobody</dc:creator></p:coreProperties>',
  }
  assert.deepEqual(await read(wordFile(body.join(''), [headingStyles, properties]), 'a'), {
    kind: 'text',
    text: '# Annual report\n\nCosts rose by 5 % & more.\n\n## Figures\n\n| Year | Costs |\n| --- | --- |\n| 2024 | 10\\|20 |',
    title: 'Report & figures',
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  })
})

test('what was deleted under change tracking is not read, what was inserted is', async () => {
  const tracked =
    '<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>'
  assert.equal(await textOf(wordFile(tracked), 'a'), 'new')
})

test('a docx without text is empty; with images alone it has no text', async () => {
  assert.equal(await textOf(wordFile(''), 'a'), 'empty: the document contains no text')
  const image = { name: 'word/media/image1.png', content: 'x' }
  assert.equal(await textOf(wordFile('', [image]), 'a'), 'no-text: the document contains images and no text')
})

test('a truncated or damaged docx is broken', async () => {
  const whole = wordFile(paragraph('Hello. '.repeat(100)))
  for (const share of [0.1, 0.5, 0.9, 0.99]) {
    // oxlint-disable-next-line no-await-in-loop -- one after another reads better when it fails
    assert.equal(await codeOf(whole.subarray(0, Math.floor(whole.length * share)), 'a'), 'broken', `${share}`)
  }
  const damaged = Buffer.from(whole)
  damaged.fill(0x55, 400, 420)
  assert.equal(await codeOf(damaged, 'a'), 'broken')
  assert.equal(await codeOf(wordFile('<w:p><w:r>'), 'a'), 'broken')
  assert.equal(await codeOf(zipFile([{ name: 'word/document.xml', content: 'no XML' }]), 'a'), 'broken')
})

test('a bomb that says how large it is is not unpacked', async () => {
  const zeros = Buffer.alloc(40 * 2 ** 20)
  const bomb = wordFile(paragraph('x'), [{ name: 'word/zeros.xml', content: zeros }])
  assert.match(
    await textOf(bomb, 'a', { limits: { unpackedBytes: 20 * 2 ** 20 } }),
    /^too-large: its parts have 40 MiB; at most 20 MiB are unpacked$/,
  )
})

test('a bomb that lies about its size is unpacked no further than it says', async () => {
  const zeros = Buffer.alloc(40 * 2 ** 20)
  const bomb = wordFile(paragraph('x'), [{ name: 'word/zeros.xml', content: zeros, declared: 1000 }])
  assert.equal(await textOf(bomb, 'a'), 'too-large: a part of it is larger than the 1,000 bytes that it declares')
})

test('too many parts are refused with the numbers', async () => {
  const parts = Array.from({ length: 200 }, (_, index) => ({ name: `word/${index}.xml`, content: '' }))
  assert.match(
    await textOf(wordFile('', parts), 'a', { limits: { parts: 100 } }),
    /^too-large: it has 203 parts; at most 100/,
  )
})

test('tables within tables without end are refused, and nothing overflows', async () => {
  const depth = 20_000
  const nested = '<w:tbl><w:tr><w:tc>'.repeat(depth) + paragraph('x') + '</w:tc></w:tr></w:tbl>'.repeat(depth)
  assert.equal(await textOf(wordFile(nested), 'a'), 'broken: its parts are nested too deeply to be read')
})
