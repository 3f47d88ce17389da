import assert from 'node:assert/strict'
import { test } from 'node:test'
import { array, assert as assertProperty, boolean, constantFrom, integer, property, record } from 'fast-check'
import { cutJson, cutText } from './cut-text.ts'

const word = (document: number, at: number) => `w${document}x${at}`

/** Documents each of whose words say where they come from. */
const found = array(record({ words: integer({ min: 0, max: 400 }), nested: boolean(), big: boolean() }), {
  minLength: 1,
  maxLength: 12,
}).map((documents) =>
  documents.map(({ words, nested, big }, index) => {
    const content = Array.from({ length: words }, (_, at) => word(index, at)).join(' ')
    return {
      citation_id: index,
      title: word(index, 0),
      url: `https://example.org/${word(index, 0)}`,
      ...(nested ? { parts: [{ content }, { content }] } : { content }),
      ...(big ? { tags: [word(index, 1), word(index, 2)] } : {}),
    }
  }),
)

const shape = constantFrom('results', 'list', 'inner', 'named')

function shaped(kind: 'results' | 'list' | 'inner' | 'named', documents: readonly object[]): unknown {
  if (kind === 'list') return documents
  if (kind === 'inner') return { data: { items: documents }, ok: true }
  if (kind === 'named') return Object.fromEntries(documents.map((each, index) => [`d${index}`, each]))
  return { results: documents }
}

/** Every object with a number, wherever it stands. */
function documentsIn(value: unknown): readonly { citation_id: number }[] {
  if (typeof value !== 'object' || value === null) return []
  if ('citation_id' in value) return [value as { citation_id: number }]
  return Object.values(value).flatMap(documentsIn)
}

const json = (cut: string) => JSON.parse(cut) as unknown

test('in no cut result is a word found in a document that it does not come from, and JSON stays JSON', () => {
  assertProperty(
    property(found, shape, integer({ min: 200, max: 4_000 }), boolean(), (documents, kind, most, asks) => {
      const text = JSON.stringify(shaped(kind, documents))
      const query = asks ? `${word(0, 300)} ${word(1, 90)}` : undefined
      const cut = cutText(text, { most, headShare: 0.7, how: () => '; read_result shows them', query })
      if (text.length <= most) return assert.equal(cut, text)
      assert.ok(cut.length <= most, `${cut.length} of ${most}`)
      const left = json(cut)
      const note = Array.isArray(left) ? (left.at(-1) as unknown) : (left as Record<string, unknown>)['left_out']
      assert.match(String(note), /\d+ .*left out; read_result shows them$/)
      for (const document of documentsIn(left)) {
        const whole: object = documents[document.citation_id]!
        const heading = (each: object) => ({ title: Reflect.get(each, 'title'), url: Reflect.get(each, 'url') })
        assert.deepEqual(heading(document), heading(whole))
        const words = JSON.stringify(document).match(/w\d+x\d+/g) ?? []
        const own = new Set(JSON.stringify(documents[document.citation_id]).match(/w\d+x\d+/g))
        for (const each of words) assert.ok(own.has(each), `${each} stands in document ${document.citation_id}`)
      }
    }),
  )
})

test('texts are shortened before documents are left out, and the note counts both', () => {
  const documents = [1, 2, 3, 4].map((citation_id) => ({ citation_id, content: 'word '.repeat(200) }))
  const text = JSON.stringify({ results: documents })
  const shortened = json(cutJson(text, 1_600, '')!) as { results: object[]; left_out: string }
  assert.equal(shortened.results.length, 4)
  assert.match(shortened.left_out, /^\d+ of 4000 characters left out$/)
  const fewer = json(cutJson(text, 400, '')!) as { results: object[]; left_out: string }
  assert.ok(fewer.results.length < 4 && fewer.results.length > 0)
  assert.match(fewer.left_out, /^\d of 4 results, \d+ of \d+ characters left out$/)
})

test('what is cut again tells of both cuts together', () => {
  const size = integer({ min: 300, max: 12_000 })
  assertProperty(
    property(
      integer({ min: 1, max: 150 }),
      integer({ min: 0, max: 60 }),
      boolean(),
      size,
      size,
      (rows, words, bare, one, two) => {
        const list = Array.from({ length: rows }, (_, id) => ({ id, notes: word(id, 0).concat(' ').repeat(words) }))
        let text = JSON.stringify(bare ? list : { rows: list, total: rows })
        for (const most of [Math.max(one, two), Math.min(one, two)]) text = cutJson(text, most, '; how') ?? text
        const cut = JSON.parse(text) as { rows?: object[]; left_out?: string } | (object | string)[]
        const [shown = [], note = ''] = Array.isArray(cut)
          ? [cut.filter((each) => typeof each === 'object'), cut.find((each) => typeof each === 'string')]
          : [cut.rows, cut.left_out]
        const [, left = 0, all = shown.length] = /^(\d+) of (\d+) (?:rows|elements)/.exec(note) ?? []
        const counted = [Number(left) + shown.length, Number(all)]
        assert.deepEqual(shown.length === 0 ? [rows, rows] : counted, [rows, rows])
      },
    ),
    { numRuns: 60, examples: [[3, 23, true, 300, 303]] },
  )
})

test('a member left_out that a result has itself is kept', () => {
  const rows = Array.from({ length: 100 }, (_, id) => ({ id, name: word(id, 1) }))
  const cut = cutJson(JSON.stringify({ left_out: ['chapter 3'], rows }), 400, '; how')!
  assert.match(cut, /^\{"left_out":\["chapter 3"\].*,"left_out_here":"\d+ of 100 rows left out; how"\}$/)
})

test('a shortened text keeps what is around the words that were searched for', () => {
  const content = `${'before '.repeat(300)}the copper kettle boils ${'after '.repeat(300)}`
  const text = JSON.stringify({ results: [{ citation_id: 1, content }] })
  assert.match(cutJson(text, 600, '', 'Copper kettle?')!, /before .*copper kettle boils/)
  assert.doesNotMatch(cutJson(text, 600, '')!, /copper/)
})

test('numbers keep their digits, and addresses are whole', () => {
  const url = `https://example.org/${'a'.repeat(300)}`
  const text = `{"id": 12345678901234567890, "price": 1.10, "url": "${url}", "text": "${'x '.repeat(600)}"}`
  const cut = cutJson(text, 700, '')!
  assert.match(cut, /"id":12345678901234567890,"price":1.10,/)
  assert.equal((json(cut) as { url: string }).url, url)
})

test('lines of JSON, and pages of a JSON text, never go on in the middle of a record behind a gap', () => {
  const how = () => ''
  const lines = Array.from({ length: 40 }, (_, id) => JSON.stringify({ id, text: `${word(id, 1)} `.repeat(10) }))
  const cut = cutText(lines.join('\n'), { most: 600, headShare: 0.5, how })
  const [, end] = cut.split(/\n\[\d+ of \d+ characters left out\]\n/)
  for (const line of end!.split('\n')) assert.ok(lines.includes(line))
  const page = `${JSON.stringify(lines).slice(50, 3_000)}\n[characters 50 to 3000 of 9000; go on with offset 3000]`
  assert.match(cutText(page, { most: 600, headShare: 0.5, how }), /characters left out\]\n\[characters 50 to [^\n]+$/)
})

test('a very large list is cut as JSON, too, to about the room that there is', () => {
  const text = JSON.stringify({ rows: Array.from({ length: 5_500 }, (_, id) => ({ id, text: 'word '.repeat(40) })) })
  const cut = cutJson(text, 1_010_000, '')!
  assert.ok(cut.length <= 1_010_000 && cut.length > 800_000, String(cut.length))
  const { rows, left_out: leftOut } = json(cut) as { rows: { id: number }[]; left_out: string }
  assert.deepEqual([rows.at(-1)!.id, leftOut.endsWith('left out')], [rows.length - 1, true])
})
