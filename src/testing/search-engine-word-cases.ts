import assert from 'node:assert/strict'
import { documentOf, found, type SearchCase } from './search-engine-place.ts'

/** How words are found. */
export function wordCases(searchCase: SearchCase): void {
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
