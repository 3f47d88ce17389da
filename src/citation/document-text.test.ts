import assert from 'node:assert/strict'
import test from 'node:test'
import { documentsText, resultsText } from '../citation.ts'

const opening = 'Here are some documents provided for context, they may not all be relevant:\n'

test('documents are read as JSON, with what they are cited as, in a fixed order of keys', () => {
  const documents = [
    { metadata: 'status closed', contents: 'Foo', title: 'Hello', citation_id: 1 },
    { citation_id: 2, title: 'World', contents: 'Bar' },
  ]
  assert.equal(
    documentsText(documents),
    opening +
      '{"documents": [{"citation_id": 1, "title": "Hello", "contents": "Foo", "metadata": "status closed"}, ' +
      '{"citation_id": 2, "title": "World", "contents": "Bar"}]}',
  )
})

test('results are read with their address and their date where they have one', () => {
  const page = {
    citation_id: 3,
    title: 'Tides',
    url: 'https://example.org/tides?a=1&b=2',
    updated_at: '2026-05-01T00:00:00.000Z',
    content: 'High water at six.',
    metadata: { author: 'A. Keeper', page: 4 },
  }
  assert.equal(
    resultsText([page, { content: 'Low.', title: 'Ebb', citation_id: 4 }]),
    '{"results": [{"citation_id": 3, "title": "Tides", "url": "https://example.org/tides?a=1&b=2", ' +
      '"updated_at": "2026-05-01T00:00:00.000Z", "content": "High water at six.", ' +
      '"metadata": {"author": "A. Keeper", "page": 4}}, {"citation_id": 4, "title": "Ebb", "content": "Low."}]}',
  )
})

test('text that is not ASCII stays as it is, and what would end a text of JSON does not', () => {
  const contents = 'Žluťoučký 灯台 🚢 \u2028\u2029 "quoted" \\ back\nslash\ttab {}'
  const text = documentsText([{ citation_id: 1, title: 'Straße', contents }])
  assert.ok(text.includes('Žluťoučký 灯台 🚢 \u2028\u2029 \\"quoted\\" \\\\ back\\nslash\\ttab {}'))
  assert.deepEqual(JSON.parse(text.slice(opening.length)), {
    documents: [{ citation_id: 1, title: 'Straße', contents }],
  })
})

test('none found is an empty list', () => {
  assert.equal(resultsText([]), '{"results": []}')
  assert.equal(documentsText([]), `${opening}{"documents": []}`)
})
