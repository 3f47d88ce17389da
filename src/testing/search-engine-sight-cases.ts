import assert from 'node:assert/strict'
import { documentOf, found, idsOf, type SearchCase } from './search-engine-place.ts'

/** Who sees what, and how much of it. */
export function sightCases(searchCase: SearchCase): void {
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
