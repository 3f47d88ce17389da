import assert from 'node:assert/strict'
import { searchDocument, findDocuments, type SearchCase } from './search-engine-fixture.ts'

/** Cases for indexing, removing and reading. */
export function indexCases(searchCase: SearchCase): void {
  searchCase('a document is found after indexing, and after the index was reopened', async (engine, open) => {
    await engine.index(searchDocument('a', 'Life began in hot springs.'))
    assert.deepEqual(await findDocuments(engine, 'springs'), ['a'])
    await engine.close()
    const again = await open()
    assert.deepEqual(await findDocuments(again, 'springs'), ['a'])
  })

  searchCase('a hit has its offsets, its headings and its document', async (engine) => {
    const text = '# Life\n\nIt has a history.\n\n# Origin\n\n\fIt began in hot springs.'
    const pages = [0, text.indexOf('\f')]
    const more = { title: 'On life', url: 'https://example.org/life', updated: '2026-01-02T03:04:05.000Z', pages }
    await engine.index(searchDocument('a', text.padEnd(5_000, ' .'), more))
    const [hit] = (await engine.search({ text: 'springs', collections: ['all'], limit: 1 })).hits
    assert.ok(hit)
    const { chunk, score, ranks, ...rest } = hit
    assert.deepEqual(rest, { document: 'a', title: more.title, url: more.url, updated: more.updated })
    assert.equal(text.padEnd(5_000, ' .').slice(chunk.start, chunk.end), chunk.text)
    assert.match(chunk.text, /hot springs/)
    assert.ok(chunk.line >= 1 && chunk.page !== undefined)
    assert.ok(score > 0)
    const positions = ranks.map(({ by, rank }) => [by, rank])
    assert.deepEqual(positions, [['words', 1]])
  })

  searchCase('hits have only the fields that their document has', async (engine) => {
    await engine.index(searchDocument('a', 'Life.'))
    const [hit] = (await engine.search({ text: 'life', collections: ['all'] })).hits
    assert.deepEqual(Object.keys(hit!).toSorted(), ['chunk', 'document', 'ranks', 'score', 'title'])
    assert.deepEqual(hit!.chunk, { id: hit!.chunk.id, text: 'Life.', start: 0, end: 5, line: 1, headings: [] })
  })

  searchCase('a document with the same digest is not indexed again, whatever its text', async (engine) => {
    await engine.index(searchDocument('a', 'Life began.', { digest: '1' }))
    await engine.index(searchDocument('a', 'Nothing of the kind.', { digest: '1', collections: ['all', 'other'] }))
    assert.deepEqual(await findDocuments(engine, 'life'), ['a'])
    assert.deepEqual(await findDocuments(engine, 'kind'), [])
    assert.deepEqual(await findDocuments(engine, 'life', { collections: ['other'] }), ['a'])
  })

  searchCase('a document with another digest replaces the previous version', async (engine) => {
    await engine.index(searchDocument('a', 'Life began. '.repeat(500)))
    await engine.index(searchDocument('a', 'It ended.'))
    assert.deepEqual(await findDocuments(engine, 'life'), [])
    assert.deepEqual(await findDocuments(engine, 'ended'), ['a'])
    assert.deepEqual(await engine.progress(), { documents: 1, indexed: 1, chunks: 1, embedded: 0 })
  })

  searchCase('a removed document is not found, and removing returns whether it existed', async (engine) => {
    await engine.index(searchDocument('a', 'Life began. '.repeat(500)))
    await engine.index(searchDocument('b', 'Life ended.'))
    assert.equal(await engine.remove('a'), true)
    assert.equal(await engine.remove('a'), false)
    assert.deepEqual(await findDocuments(engine, 'life'), ['b'])
    assert.deepEqual(await engine.progress(), { documents: 1, indexed: 1, chunks: 1, embedded: 0 })
    assert.equal(await engine.read('a', { start: 0, characters: 10 }), undefined)
  })

  searchCase('a document that was removed can be indexed again', async (engine) => {
    await engine.index(searchDocument('a', 'Life began.'))
    await engine.remove('a')
    await engine.index(searchDocument('a', 'Life began.'))
    assert.deepEqual(await findDocuments(engine, 'life'), ['a'])
  })

  searchCase('documents without words are indexed and never found', async (engine) => {
    for (const [index, text] of ['', '  \n\t ', '…!?'].entries())
      await engine.index(searchDocument(`${index}`, text, { title: '' }))
    assert.deepEqual(await findDocuments(engine, '…!?'), [])
    const { documents, indexed } = await engine.progress()
    assert.deepEqual({ documents, indexed }, { documents: 3, indexed: 3 })
  })

  searchCase('the index lists its documents', async (engine) => {
    await engine.index(searchDocument('b', 'two', { collections: ['y', 'x', 'y'] }))
    await engine.index(searchDocument('a', 'one', { collections: [] }))
    assert.deepEqual(await engine.documents(), [
      { id: 'a', digest: 'one', collections: [] },
      { id: 'b', digest: 'two', collections: ['x', 'y'] },
    ])
  })

  searchCase('reading can start at any offset and is exact', async (engine) => {
    const text = Array.from({ length: 3_000 }, (_, index) => `${index} 東京 😀\0\r\n\n`).join('')
    await engine.index(searchDocument('a', text))
    for (const [start, characters] of [
      [0, 10],
      [4_090, 20],
      [8_191, 9_000],
      [text.length - 5, 100],
    ] as const) {
      assert.equal(await engine.read('a', { start, characters }), text.slice(start, start + characters))
    }
    assert.equal(await engine.read('a', { start: text.length, characters: 10 }), '')
    assert.equal(await engine.read('a', { start: -5, characters: 3 }), text.slice(0, 3))
    assert.equal(await engine.read('b', { start: 0, characters: 10 }), undefined)
  })

  searchCase('the texts of hits in a long document are exact', async (engine) => {
    const text = Array.from({ length: 800 }, (_, index) => `Sentence ${index} tells of 東京 and 😀 springs.`).join(' ')
    await engine.index(searchDocument('a', text))
    for (const asked of ['springs', '799', '400', '東京']) {
      const { hits } = await engine.search({ text: asked, collections: ['all'], perDocument: 20, limit: 20 })
      assert.ok(hits.length > 0, asked)
      for (const { chunk } of hits) assert.equal(text.slice(chunk.start, chunk.end), chunk.text)
    }
  })

  searchCase('concurrent changes run one after another, and the last one wins', async (engine) => {
    const versions = Array.from({ length: 10 }, (_, index) => searchDocument('a', `Version ${index}. `.repeat(300)))
    await Promise.all(versions.map((version) => engine.index(version)))
    assert.deepEqual(await engine.documents(), [{ id: 'a', digest: versions[9]!.text, collections: ['all'] }])
    await Promise.all([engine.index(searchDocument('b', 'Life.')), engine.remove('b')])
    assert.deepEqual(await findDocuments(engine, 'life'), [])
  })

  searchCase('aborted indexing leaves the previous version', async (engine) => {
    await engine.index(searchDocument('a', 'Life began.'))
    const calledOff = new AbortController()
    const indexing = engine.index(searchDocument('a', 'It ended. '.repeat(200_000)), { signal: calledOff.signal })
    setImmediate(() => calledOff.abort(new Error('enough')))
    await assert.rejects(indexing, { message: 'enough' })
    assert.deepEqual(await findDocuments(engine, 'life'), ['a'])
    assert.deepEqual(await findDocuments(engine, 'ended'), [])
    await assert.rejects(engine.index(searchDocument('b', 'Life'), { signal: AbortSignal.abort(new Error('never')) }), {
      message: 'never',
    })
    assert.deepEqual(await engine.progress(), { documents: 1, indexed: 1, chunks: 1, embedded: 0 })
  })

  searchCase('while a new version is indexed, the old one is found, and progress reports it', async (engine) => {
    await engine.index(searchDocument('a', 'Life began.'))
    const indexing = engine.index(searchDocument('a', 'It ended. '.repeat(50_000)))
    await new Promise((resolve) => setImmediate(resolve))
    const during = await findDocuments(engine, 'life')
    const { documents, indexed } = await engine.progress()
    await indexing
    assert.deepEqual(during, ['a'])
    assert.deepEqual({ documents, indexed }, { documents: 1, indexed: 0 })
    assert.deepEqual(await findDocuments(engine, 'life'), [])
  })

  searchCase('a closed index rejects calls, and unfinished work continues after reopening', async (engine, open) => {
    const indexing = engine.index(searchDocument('a', 'Life began. '.repeat(100_000)))
    const waiting = engine.index(searchDocument('b', 'Life ended.'))
    const ends = Promise.allSettled([indexing, waiting])
    await new Promise((resolve) => setImmediate(resolve))
    await engine.close()
    for (const end of await ends) assert.equal(end.status === 'rejected' && end.reason.code, 'closed')
    await assert.rejects(engine.search({ text: 'life', collections: ['all'] }), { code: 'closed' })
    await assert.rejects(engine.index(searchDocument('a', 'Life')), { code: 'closed' })
    await assert.rejects(engine.progress(), { code: 'closed' })
    const again = await open()
    assert.deepEqual(await findDocuments(again, 'life'), [])
    await again.index(searchDocument('a', 'Life began. '.repeat(1_000)))
    assert.deepEqual(await findDocuments(again, 'life', { perDocument: 1 }), ['a'])
  })
}
