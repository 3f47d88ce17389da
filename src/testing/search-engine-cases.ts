import assert from 'node:assert/strict'
import { indexCases } from './search-engine-index-cases.ts'
import { meaningCases } from './search-engine-meaning-cases.ts'
import { documentOf, found, idsOf, type SearchCase, type SearchPlace } from './search-engine-place.ts'
import type { Test } from './session-store-entries.ts'

/**
 * Every promise of `SearchEngine`, as tests. A backend runs them all:
 *
 * ```ts
 * searchEngineCases(test, async () => ({ open: (options) => openMySearch(…), remove: async () => … }))
 * ```
 */
export function searchEngineCases(test: Test, makePlace: () => Promise<SearchPlace>): void {
  const searchCase: SearchCase = (name, run) => {
    test(name, async () => {
      const place = await makePlace()
      const engine = await place.open()
      try {
        await run(engine, place)
      } finally {
        await engine.close()
        await place.remove()
      }
    })
  }
  indexCases(searchCase)
  wordCases(searchCase)
  sightCases(searchCase)
  meaningCases(searchCase)
}

/** Who sees what, and how much of it. */
function sightCases(searchCase: SearchCase): void {
  searchCase('only documents of the given collections are found', async (engine) => {
    await engine.index(documentOf('a', 'Life.', { collections: ['x'] }))
    await engine.index(documentOf('b', 'Life.', { collections: ['x', 'y'] }))
    await engine.index(documentOf('c', 'Life.', { collections: ['z'] }))
    await engine.index(documentOf('d', 'Life.', { collections: [] }))
    const seen = async (...collections: string[]) => (await found(engine, 'life', { collections })).toSorted()
    assert.deepEqual(await seen('x'), ['a', 'b'])
    assert.deepEqual(await seen('y'), ['b'])
    assert.deepEqual(await seen('y', 'z'), ['b', 'c'])
    assert.deepEqual(await seen('nothing'), [])
    assert.deepEqual(await seen(), [])
  })

  searchCase('what may not be seen takes no place away from what may', async (engine) => {
    for (let index = 0; index < 150; index += 1) {
      await engine.index(
        documentOf(`hidden-${index}`, 'springs '.repeat(5), { title: 'Springs', collections: ['hidden'] }),
      )
    }
    await engine.index(documentOf('seen', 'There may have been springs among a great many other things.'))
    assert.deepEqual(await found(engine, 'springs', { limit: 1 }), ['seen'])
  })

  searchCase('a question may be about some documents alone', async (engine) => {
    for (const id of ['a', 'b', 'c']) await engine.index(documentOf(id, 'Life.'))
    assert.deepEqual((await found(engine, 'life', { documents: ['c', 'a', 'x'] })).toSorted(), ['a', 'c'])
    assert.deepEqual(await found(engine, 'life', { documents: [] }), [])
    assert.deepEqual(await found(engine, 'life', { documents: ['a'], collections: ['other'] }), [])
  })

  searchCase('a document can be put into other collections without its text', async (engine) => {
    await engine.index(documentOf('a', 'Life.', { collections: ['x'] }))
    assert.equal(await engine.assign('a', ['y', 'z', 'y']), true)
    assert.deepEqual(await found(engine, 'life', { collections: ['x'] }), [])
    assert.deepEqual(await found(engine, 'life', { collections: ['z'] }), ['a'])
    assert.equal(await engine.assign('a', []), true)
    assert.deepEqual(await found(engine, 'life', { collections: ['x', 'y', 'z'] }), [])
    assert.equal(await engine.assign('b', ['x']), false)
  })

  searchCase('there are at most as many hits as asked, 10 unless said', async (engine) => {
    for (let index = 0; index < 12; index += 1) await engine.index(documentOf(`d${index}`, 'Life.'))
    assert.equal((await found(engine, 'life')).length, 10)
    assert.equal((await found(engine, 'life', { limit: 4 })).length, 4)
    assert.equal((await found(engine, 'life', { limit: 100 })).length, 12)
    assert.deepEqual(await found(engine, 'life', { limit: 0 }), [])
  })

  searchCase('a long document leaves room for others: 3 hits of each unless said', async (engine) => {
    await engine.index(documentOf('long', 'Life and life again. '.repeat(3_000), { title: 'Life' }))
    await engine.index(documentOf('short', 'There is also a little life in a good many other places.'))
    const count = async (id: string, perDocument?: number) =>
      (await found(engine, 'life', { limit: 20, ...(perDocument !== undefined && { perDocument }) })).filter(
        (one) => one === id,
      ).length
    assert.deepEqual([await count('long'), await count('short')], [3, 1])
    assert.deepEqual([await count('long', 1), await count('short', 1)], [1, 1])
    assert.equal(await count('long', 8), 8)
  })

  searchCase('the same question gives the same answer, best first', async (engine) => {
    for (let index = 0; index < 30; index += 1)
      await engine.index(documentOf(`d${index}`, `Life ${'and more '.repeat(index % 7)}.`))
    const ask = async () => (await engine.search({ text: 'life and more', collections: ['all'], limit: 20 })).hits
    const hits = await ask()
    assert.deepEqual(await ask(), hits)
    const scores = hits.map((hit) => hit.score)
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    )
    assert.equal(new Set(idsOf(hits)).size, 20)
  })

  searchCase('progress counts what stands in the given collections', async (engine) => {
    await engine.index(documentOf('a', 'Life.', { collections: ['x', 'y'] }))
    await engine.index(documentOf('b', 'Life. '.repeat(400), { collections: ['y'] }))
    const { chunks } = await engine.progress()
    assert.deepEqual(await engine.progress(['x']), { documents: 1, indexed: 1, chunks: 1, embedded: 0 })
    assert.deepEqual(await engine.progress(['x', 'y']), { documents: 2, indexed: 2, chunks, embedded: 0 })
    assert.deepEqual(await engine.progress([]), { documents: 0, indexed: 0, chunks: 0, embedded: 0 })
  })

  searchCase('a question that nobody waits for any more is not answered', async (engine) => {
    await engine.index(documentOf('a', 'Life.'))
    const signal = AbortSignal.abort(new Error('gone'))
    await assert.rejects(engine.search({ text: 'life', collections: ['all'], signal }), { message: 'gone' })
  })
}

/** How words are found. */
function wordCases(searchCase: SearchCase): void {
  searchCase('words are found whatever their case, their accents and their form', async (engine) => {
    await engine.index(documentOf('a', 'The Café was RUNNING out of croissants in Zürich.'))
    for (const text of ['cafe', 'CAFÉ', 'cafe\u0301', 'runs', 'croissant', 'zurich', 'ｃａｆｅ']) {
      assert.deepEqual(await found(engine, text), ['a'], text)
    }
    assert.deepEqual(await found(engine, 'walking'), [])
  })

  searchCase('words of languages that put no blanks between them are found', async (engine) => {
    await engine.index(documentOf('zh', '科学家研究生命起源，认为它始于热泉。'))
    await engine.index(documentOf('ja', '彼は東京都に住んでいます。コンピューターを使います。'))
    await engine.index(documentOf('th', 'ภาษาไทยเป็นภาษาที่ง่าย'))
    await engine.index(documentOf('ko', '학교에서 공부를 합니다.'))
    await engine.index(documentOf('hi', 'हिन्दी एक भाषा है'))
    for (const [text, id] of [
      ['研究', 'zh'],
      ['生命', 'zh'],
      ['热泉', 'zh'],
      ['東京', 'ja'],
      ['東京都', 'ja'],
      ['コンピューター', 'ja'],
      ['ไทย', 'th'],
      ['학교', 'ko'],
      ['हिन्दी', 'hi'],
    ] as const) {
      assert.deepEqual(await found(engine, text), [id], text)
    }
  })

  searchCase('names with dots, dashes and underscores are found whole and in part', async (engine) => {
    await engine.index(documentOf('a', 'See src/index.ts and max_page_count in v1.2.3 of the x-ray tool.'))
    for (const text of ['index.ts', 'index', 'max_page_count', 'page', 'v1.2.3', 'x-ray']) {
      assert.deepEqual(await found(engine, text), ['a'], text)
    }
  })

  searchCase('what holds more of the words stands before what holds fewer', async (engine) => {
    await engine.index(documentOf('one', 'Something about springs, and rather a lot of other things.'))
    await engine.index(documentOf('both', 'Something about hot springs, and a lot of other things.'))
    await engine.index(documentOf('none', 'Something else.'))
    assert.deepEqual(await found(engine, 'hot springs'), ['both', 'one'])
  })

  searchCase('a word in the title counts more than one in the text', async (engine) => {
    for (const id of ['c', 'd', 'e'])
      await engine.index(documentOf(id, 'Nothing of interest stands here.', { title: id }))
    await engine.index(documentOf('a', 'Here we speak of volcanoes and of other things.', { title: 'Notes' }))
    await engine.index(documentOf('b', 'Here we speak of mountains and of other things.', { title: 'Volcanoes' }))
    assert.deepEqual(await found(engine, 'volcanoes'), ['b', 'a'])
  })

  searchCase('a part is found by the headings above it', async (engine) => {
    const parts = ['Winter', 'Summer'].map((name) => `# ${name}\n\n${'It was as it always is. '.repeat(80)}`)
    await engine.index(documentOf('a', parts.join('\n\n')))
    const { hits } = await engine.search({ text: 'summer', collections: ['all'] })
    assert.ok(hits.length > 1)
    for (const { chunk } of hits) assert.deepEqual(chunk.headings, ['Summer'])
  })

  searchCase('what is asked is words and never syntax', async (engine) => {
    await engine.index(documentOf('a', 'Life AND death, near or NOT, title: body^2 "quoted" col*'))
    for (const text of HOSTILE) await engine.search({ text, collections: ['all'] })
    assert.deepEqual(await found(engine, 'NOT death'), ['a'])
    assert.deepEqual(await found(engine, '"death'), ['a'])
    assert.deepEqual(await found(engine, 'dea*'), [])
    assert.deepEqual(await found(engine, 'title:death'), ['a'])
    assert.deepEqual(await found(engine, 'absent AND death'), ['a'])
    assert.deepEqual(await found(engine, ''), [])
    assert.deepEqual(await found(engine, '"" * ^ ( ) \0'), [])
  })

  searchCase('a whole page can be asked', async (engine) => {
    await engine.index(documentOf('a', 'Life began.'))
    assert.deepEqual(await found(engine, `life ${'and other words '.repeat(20_000)}`), ['a'])
    assert.deepEqual(await found(engine, 'x'.repeat(1_000_000)), [])
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
