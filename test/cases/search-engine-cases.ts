import assert from 'node:assert/strict'
import { indexCases } from './search-engine-index-cases.ts'
import type { SearchEngine } from '../../src/search.ts'
import { meaningCases } from './search-engine-meaning-cases.ts'
import {
  searchDocument,
  findDocuments,
  documentIds,
  type SearchCase,
  type SearchFixture,
} from './search-engine-fixture.ts'
import type { TestFunction } from '../../src/testing.ts'

/**
 * Adds a test for every rule of `SearchEngine`:
 *
 * ```ts
 * searchEngineCases(test, async () => ({ open: (options) => openMySearch(…), remove: async () => … }))
 * ```
 */
export function searchEngineCases(test: TestFunction, makeFixture: () => Promise<SearchFixture>): void {
  const searchCase: SearchCase = (name, run) => {
    test(name, async () => {
      const fixture = await makeFixture()
      const engines: SearchEngine[] = []
      const open: SearchFixture['open'] = async (options) => {
        const engine = await fixture.open(options)
        engines.push(engine)
        return engine
      }
      try {
        await run(await open(), open)
      } finally {
        for (const engine of engines) await engine.close()
        await fixture.remove()
      }
    })
  }
  indexCases(searchCase)
  wordCases(searchCase)
  scopeCases(searchCase)
  meaningCases(searchCase)
}

/** Cases for scopes and limits. */
function scopeCases(searchCase: SearchCase): void {
  searchCase('only documents of the given collections are found', async (engine) => {
    await engine.index(searchDocument('a', 'Life.', { collections: ['x'] }))
    await engine.index(searchDocument('b', 'Life.', { collections: ['x', 'y'] }))
    await engine.index(searchDocument('c', 'Life.', { collections: ['z'] }))
    await engine.index(searchDocument('d', 'Life.', { collections: [] }))
    const seen = async (...collections: string[]) => (await findDocuments(engine, 'life', { collections })).toSorted()
    assert.deepEqual(await seen('x'), ['a', 'b'])
    assert.deepEqual(await seen('y'), ['b'])
    assert.deepEqual(await seen('y', 'z'), ['b', 'c'])
    assert.deepEqual(await seen('nothing'), [])
    assert.deepEqual(await seen(), [])
  })

  searchCase('documents of other collections do not use up the limit', async (engine) => {
    for (let index = 0; index < 150; index += 1) {
      await engine.index(
        searchDocument(`hidden-${index}`, 'springs '.repeat(5), { title: 'Springs', collections: ['hidden'] }),
      )
    }
    await engine.index(searchDocument('seen', 'There may have been springs among a great many other things.'))
    assert.deepEqual(await findDocuments(engine, 'springs', { limit: 1 }), ['seen'])
  })

  searchCase('a search may be limited to some documents', async (engine) => {
    for (const id of ['a', 'b', 'c']) await engine.index(searchDocument(id, 'Life.'))
    assert.deepEqual((await findDocuments(engine, 'life', { documents: ['c', 'a', 'x'] })).toSorted(), ['a', 'c'])
    assert.deepEqual(await findDocuments(engine, 'life', { documents: [] }), [])
    assert.deepEqual(await findDocuments(engine, 'life', { documents: ['a'], collections: ['other'] }), [])
  })

  searchCase('a document can be moved to other collections without its text', async (engine) => {
    await engine.index(searchDocument('a', 'Life.', { collections: ['x'] }))
    assert.equal(await engine.assign('a', ['y', 'z', 'y']), true)
    assert.deepEqual(await findDocuments(engine, 'life', { collections: ['x'] }), [])
    assert.deepEqual(await findDocuments(engine, 'life', { collections: ['z'] }), ['a'])
    assert.equal(await engine.assign('a', []), true)
    assert.deepEqual(await findDocuments(engine, 'life', { collections: ['x', 'y', 'z'] }), [])
    assert.equal(await engine.assign('b', ['x']), false)
  })

  searchCase('a search returns at most limit hits, 10 by default', async (engine) => {
    for (let index = 0; index < 12; index += 1) await engine.index(searchDocument(`d${index}`, 'Life.'))
    assert.equal((await findDocuments(engine, 'life')).length, 10)
    assert.equal((await findDocuments(engine, 'life', { limit: 4 })).length, 4)
    assert.equal((await findDocuments(engine, 'life', { limit: 100 })).length, 12)
    assert.deepEqual(await findDocuments(engine, 'life', { limit: 0 }), [])
  })

  searchCase('a search returns at most 3 hits of each document by default', async (engine) => {
    await engine.index(searchDocument('long', 'Life and life again. '.repeat(3_000), { title: 'Life' }))
    await engine.index(searchDocument('short', 'There is also a little life in a good many other places.'))
    const count = async (id: string, perDocument?: number) =>
      (await findDocuments(engine, 'life', { limit: 20, ...(perDocument !== undefined && { perDocument }) })).filter(
        (one) => one === id,
      ).length
    assert.deepEqual([await count('long'), await count('short')], [3, 1])
    assert.deepEqual([await count('long', 1), await count('short', 1)], [1, 1])
    assert.equal(await count('long', 8), 8)
  })

  searchCase('the same search gives the same hits, best first', async (engine) => {
    for (let index = 0; index < 30; index += 1)
      await engine.index(searchDocument(`d${index}`, `Life ${'and more '.repeat(index % 7)}.`))
    const ask = async () => (await engine.search({ text: 'life and more', collections: ['all'], limit: 20 })).hits
    const hits = await ask()
    assert.deepEqual(await ask(), hits)
    const scores = hits.map((hit) => hit.score)
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    )
    assert.equal(new Set(documentIds(hits)).size, 20)
  })

  searchCase('progress counts the given collections', async (engine) => {
    await engine.index(searchDocument('a', 'Life.', { collections: ['x', 'y'] }))
    await engine.index(searchDocument('b', 'Life. '.repeat(400), { collections: ['y'] }))
    const { chunks } = await engine.progress()
    assert.deepEqual(await engine.progress(['x']), { documents: 1, indexed: 1, chunks: 1, embedded: 0 })
    assert.deepEqual(await engine.progress(['x', 'y']), { documents: 2, indexed: 2, chunks, embedded: 0 })
    assert.deepEqual(await engine.progress([]), { documents: 0, indexed: 0, chunks: 0, embedded: 0 })
  })

  searchCase('an aborted search is rejected', async (engine) => {
    await engine.index(searchDocument('a', 'Life.'))
    const signal = AbortSignal.abort(new Error('gone'))
    await assert.rejects(engine.search({ text: 'life', collections: ['all'], signal }), { message: 'gone' })
  })
}

/** Cases for search by words. */
function wordCases(searchCase: SearchCase): void {
  searchCase('words are found in any case, with or without accents, and in other grammatical forms', async (engine) => {
    await engine.index(searchDocument('a', 'The Café was RUNNING out of croissants in Zürich.'))
    for (const text of ['cafe', 'CAFÉ', 'cafe\u0301', 'runs', 'croissant', 'zurich', 'ｃａｆｅ']) {
      assert.deepEqual(await findDocuments(engine, text), ['a'], text)
    }
    assert.deepEqual(await findDocuments(engine, 'walking'), [])
  })

  searchCase('words of languages without spaces are found', async (engine) => {
    const languages = [
      { id: 'zh', text: '科学家研究生命起源，认为它始于热泉。', words: ['研究', '生命', '热泉'] },
      {
        id: 'ja',
        text: '彼は東京都に住んでいます。コンピューターを使います。',
        words: ['東京', '東京都', 'コンピューター'],
      },
      { id: 'th', text: 'ภาษาไทยเป็นภาษาที่ง่าย', words: ['ไทย'] },
      { id: 'ko', text: '학교에서 공부를 합니다.', words: ['학교'] },
      { id: 'hi', text: 'हिन्दी एक भाषा है', words: ['हिन्दी'] },
    ]
    for (const { id, text } of languages) await engine.index(searchDocument(id, text))
    for (const { id, words } of languages) {
      for (const word of words) assert.deepEqual(await findDocuments(engine, word), [id], word)
    }
  })

  searchCase('names with dots, dashes and underscores are found as a whole and in part', async (engine) => {
    await engine.index(searchDocument('a', 'See src/index.ts and max_page_count in v1.2.3 of the x-ray tool.'))
    for (const text of ['index.ts', 'index', 'max_page_count', 'page', 'v1.2.3', 'x-ray']) {
      assert.deepEqual(await findDocuments(engine, text), ['a'], text)
    }
  })

  searchCase('documents with more of the words come first', async (engine) => {
    await engine.index(searchDocument('one', 'Something about springs, and rather a lot of other things.'))
    await engine.index(searchDocument('both', 'Something about hot springs, and a lot of other things.'))
    await engine.index(searchDocument('none', 'Something else.'))
    assert.deepEqual(await findDocuments(engine, 'hot springs'), ['both', 'one'])
  })

  searchCase('a word in the title counts more than one in the text', async (engine) => {
    for (const id of ['c', 'd', 'e'])
      await engine.index(searchDocument(id, 'Nothing of interest stands here.', { title: id }))
    await engine.index(searchDocument('a', 'Here we speak of volcanoes and of other things.', { title: 'Notes' }))
    await engine.index(searchDocument('b', 'Here we speak of mountains and of other things.', { title: 'Volcanoes' }))
    assert.deepEqual(await findDocuments(engine, 'volcanoes'), ['b', 'a'])
  })

  searchCase('a passage is found by the headings above it', async (engine) => {
    const parts = ['Winter', 'Summer'].map((name) => `# ${name}\n\n${'It was as it always is. '.repeat(80)}`)
    await engine.index(searchDocument('a', parts.join('\n\n')))
    const { hits } = await engine.search({ text: 'summer', collections: ['all'] })
    assert.ok(hits.length > 1)
    for (const { chunk } of hits) assert.deepEqual(chunk.headings, ['Summer'])
  })

  searchCase('a query is words and never syntax', async (engine) => {
    await engine.index(searchDocument('a', 'Life AND death, near or NOT, title: body^2 "quoted" col*'))
    for (const text of HOSTILE) await engine.search({ text, collections: ['all'] })
    assert.deepEqual(await findDocuments(engine, 'NOT death'), ['a'])
    assert.deepEqual(await findDocuments(engine, '"death'), ['a'])
    assert.deepEqual(await findDocuments(engine, 'dea*'), [])
    assert.deepEqual(await findDocuments(engine, 'title:death'), ['a'])
    assert.deepEqual(await findDocuments(engine, 'absent AND death'), ['a'])
    assert.deepEqual(await findDocuments(engine, ''), [])
    assert.deepEqual(await findDocuments(engine, '"" * ^ ( ) \0'), [])
  })

  searchCase('a query may be as long as a page', async (engine) => {
    await engine.index(searchDocument('a', 'Life began.'))
    assert.deepEqual(await findDocuments(engine, `life ${'and other words '.repeat(20_000)}`), ['a'])
    assert.deepEqual(await findDocuments(engine, 'x'.repeat(1_000_000)), [])
  })
}

const HOSTILE = [
  '"',
  '""',
  "'; drop table documents; --",
  'NEAR(a b, 5)',
  'NEAR',
  'OR',
  'AND NOT OR',
  '*',
  'a*',
  '^a',
  '{title body}: a',
  '- {title}: a',
  'a + b',
  '(((',
  ')',
  '\0',
  'a\0b',
  '\ud800',
  '\\',
  '%_',
  '?1',
  ':x @x $x',
]
