import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import type { CitedSource, FoundDocument } from './document-text.ts'
import { citedNumbers } from './piece.ts'
import { citedText } from './reader.ts'
import { turnCitations } from './turn-citations.ts'
import { systemClock } from '../platform.ts'

type ToolResult =
  | { readonly ok: true; readonly output: string; readonly meta?: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: string }

const manual: CitedSource = { citation: 1, document: 'file_1', title: 'manual.pdf' }

test('numbers start at 1, project documents get the first ones, and each search continues from the highest', () => {
  const citations = turnCitations(systemClock, [], [manual])
  assert.deepEqual(numbersOf(citations.cite(found('tides.md', 'lights.md'))), [2, 3])
  assert.deepEqual(numbersOf(citations.cite(found('wrecks.md'))), [4])
})

test('a document seen before keeps its number, and chunks of one document share one', () => {
  const citations = turnCitations(systemClock, [], [])
  assert.deepEqual(numbersOf(citations.cite(found('a', 'b', 'a'))), [1, 2, 1])
  assert.deepEqual(numbersOf(citations.cite(found('b', 'c'))), [2, 3])
})

test('the model reads numbers, titles and words; the person keeps the places', () => {
  const { result, sources } = turnCitations(systemClock, [], []).cite(found('tides.md'))
  assert.deepEqual(result.ok && JSON.parse(result.output), {
    results: [{ citation_id: 1, title: 'tides.md', content: 'words of tides.md' }],
  })
  assert.deepEqual(sources, [{ citation: 1, document: 'tides.md', title: 'tides.md', page: 3, score: 1 }])
})

test('numbers that were given before a restart are read from the log', () => {
  const before = turnCitations(systemClock, [], [])
  const { sources } = before.cite(found('a', 'b'))
  const after = turnCitations(systemClock, sources, [])
  assert.equal(after.found(), true)
  assert.deepEqual(numbersOf(after.cite(found('c', 'a'))), [3, 1])
})

test('what an answer cites is found once each, in its order, and a number that nobody gave is prose', async () => {
  const citations = turnCitations(systemClock, [], [manual])
  citations.cite(found('a', 'b'))
  const cited = await citations.citedSources('High water [3], as the manual has it [1][3], in [2024]. `[2]`')
  assert.deepEqual(
    cited.map(({ citation, title }) => [citation, title]),
    [
      [3, 'b'],
      [1, 'manual.pdf'],
    ],
  )
})

test('an answer that is read in parts cites what it cites as a whole', async () => {
  const citations = turnCitations(systemClock, [], [manual])
  citations.cite(found('a', 'b', 'c'))
  const known = (number: number) => number <= 4
  const bit = fc.constantFrom(
    '[1]',
    '[2',
    ', 3]',
    '[[4]]',
    '`',
    '```\n',
    '\n\n',
    '[9]',
    'x'.repeat(5_461),
    '【3】',
    '](',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(bit, { maxLength: 40 }), async (bits) => {
      const text = bits.join('')
      const cited = await citations.citedSources(text)
      assert.deepEqual(
        cited.map(({ citation }) => citation),
        citedNumbers(citedText(text, known)),
      )
    }),
    { numRuns: 200 },
  )
})

test('a citation is found wherever a part of a long answer ends', async () => {
  const citations = turnCitations(systemClock, [], [manual])
  citations.cite(found('a', 'b'))
  for (let before = 16_378; before <= 16_386; before += 1) {
    const cited = await citations.citedSources(`${'x'.repeat(before)}[[2, 1]]${'x'.repeat(40_000)}[3]`)
    assert.deepEqual(
      cited.map(({ citation }) => citation),
      [2, 1, 3],
    )
  }
})

test('however an answer is cut, no part of a citation is shown before the rest of it', async () => {
  const citations = turnCitations(systemClock, [], [manual])
  citations.cite(found('a', 'b'))
  const text = 'See [1], [[2]], [1, 2] and [1][2]【3】［1］ [2](https://a.example/) `[1]` [2024] [9] [1'
  const ends = new Set(citationEnds(text))
  const parts = Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)])
  for (const chunks of [...parts, text.split(''), [text]]) {
    const stream = citations.stream()
    let shown = ''
    for (const chunk of chunks) {
      shown += await stream.read(chunk)
      assert.ok(ends.has(shown.length), `${chunks.length} chunks: "${shown}" ends inside a citation`)
    }
    assert.equal(shown + stream.end(), text)
  }
  const nothing = turnCitations(systemClock, [], []).stream()
  assert.equal(await nothing.read('see ['), 'see [', 'where nothing can be cited nothing is held back')
})

/** Lengths of the beginnings of a text that cut no citation. */
function citationEnds(text: string): readonly number[] {
  let at = 0
  return citedText(text, (number) => number <= 3).flatMap((piece) => {
    const start = at
    at += piece.text.length
    return piece.type === 'citation' ? [start, at] : Array.from(piece.text, (_, index) => start + index)
  })
}

test('a failed result and one without documents stay as they are', () => {
  const citations = turnCitations(systemClock, [], [])
  const failed: ToolResult = { ok: false, error: 'no' }
  const plain: ToolResult = { ok: true, output: 'yes' }
  assert.equal(citations.cite(failed).result, failed)
  assert.equal(citations.cite(plain).result, plain)
  assert.equal(citations.found(), false)
})

function found(...names: readonly string[]): ToolResult {
  const documents = names.map((name): FoundDocument => ({
    document: name,
    title: name,
    content: `words of ${name}`,
    page: 3,
    score: 1,
  }))
  return { ok: true, output: '', meta: { documents } }
}

function numbersOf({ sources }: { readonly sources: readonly CitedSource[] }): readonly number[] {
  return sources.map(({ citation }) => citation)
}
