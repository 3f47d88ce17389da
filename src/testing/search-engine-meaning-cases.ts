import assert from 'node:assert/strict'
import type { Embedder, SearchEngine } from '../search.ts'
import { documentOf, found, type SearchCase, topicEmbedder } from './search-engine-place.ts'

const topics = [
  ['sea', 'ocean'],
  ['hill', 'mountain'],
] as const

/** What an embedding model adds, and what happens when it fails. */
export function meaningCases(searchCase: SearchCase): void {
  searchCase('with an embedding model, what means the same is found without the words', async (plain, place) => {
    await fill(plain)
    await plain.close()
    const engine = await place.open({ embedder: topicEmbedder(topics) })
    assert.deepEqual(await found(engine, 'ocean'), [])
    const progress = await engine.embedMissing()
    assert.deepEqual(progress, { documents: 3, indexed: 3, chunks: 3, embedded: 3 })
    assert.deepEqual(await found(engine, 'ocean'), ['water'])
    await engine.close()
  })

  searchCase('a hit tells by which lists it was found; what both hold stands first', async (_, place) => {
    const engine = await place.open({ embedder: topicEmbedder(topics) })
    await fill(engine)
    await engine.index(documentOf('both', 'The ocean, deep and wide.'))
    await engine.index(documentOf('words', 'They called it Ocean.', { title: 'Ocean' }))
    await engine.embedMissing()
    const { hits } = await engine.search({ text: 'wide ocean', collections: ['all'] })
    assert.equal(hits[0]?.document, 'both')
    assert.deepEqual(
      hits[0].ranks.map((rank) => rank.by),
      ['words', 'meaning'],
    )
    for (const { score, ranks } of hits) {
      const sum = ranks.reduce((total, { by, rank }) => total + (by === 'words' ? 1 : 0.1) / (60 + rank), 0)
      assert.ok(Math.abs(score - sum) < 1e-12)
    }
    const water = hits.find((hit) => hit.document === 'water')
    assert.deepEqual(
      water?.ranks.map(({ by, value }) => [by, Math.round(value * 1000) / 1000]),
      [['meaning', 1]],
    )
    await engine.close()
  })

  searchCase('a question can be asked in one way alone', async (_, place) => {
    const engine = await place.open({ embedder: topicEmbedder(topics) })
    await fill(engine)
    await engine.index(documentOf('words', 'They called it Ocean Street.', { title: 'Street' }))
    await engine.embedMissing()
    assert.deepEqual(await found(engine, 'street', { by: 'words' }), ['words'])
    assert.deepEqual(await found(engine, 'ocean', { by: 'words' }), ['words'])
    assert.deepEqual((await found(engine, 'ocean', { by: 'meaning' })).toSorted(), ['water', 'words'])
    assert.deepEqual(await found(engine, 'street', { by: 'meaning' }), [])
    await engine.close()
  })

  searchCase('what only a model holds for an answer stands behind what the words say', async (_, place) => {
    const open = async (weight?: number) => {
      const engine = await place.open({
        embedder: topicEmbedder(topics),
        meaning: { ...(weight !== undefined && { weight }) },
      })
      await engine.index(documentOf('model', 'Sea.'))
      await engine.index(documentOf('words', 'They write about the Ocean here.'))
      for (let index = 0; index < 5; index += 1)
        await engine.index(documentOf(`more${index}`, 'An old map, write to us.'))
      await engine.embedMissing()
      const ids = await found(engine, 'write about the ocean')
      await engine.close()
      return ids
    }
    assert.deepEqual((await open()).at(-1), 'model')
    assert.equal((await open(1)).indexOf('model'), 1)
    assert.ok(!(await open(0)).includes('model'))
  })

  searchCase('what is farther away than the floor is no answer', async (_, place) => {
    const embedder = topicEmbedder(topics)
    const engine = await place.open({ embedder, meaning: { floor: 0.9 } })
    await engine.index(documentOf('sea', 'The sea.'))
    await engine.index(documentOf('both', 'The sea below the hill.'))
    await engine.embedMissing()
    assert.deepEqual(await found(engine, 'ocean'), ['sea'])
    await engine.close()
    const open = await place.open({ embedder, meaning: { floor: 0.5 } })
    assert.deepEqual(await found(open, 'ocean'), ['sea', 'both'])
    await open.close()
  })

  searchCase('where all texts are alike to a model, a question without meaning finds nothing', async (_, place) => {
    const inner = topicEmbedder(topics)
    const alike = (vector: Float32Array, text: string) => Float32Array.from([...vector, text.includes('odd') ? 0 : 2])
    const embedder: Embedder = {
      ...inner,
      id: 'alike',
      embed: async (texts, options) =>
        (await inner.embed(texts, options)).map((vector, index) => alike(vector, texts[index]!)),
    }
    const engine = await place.open({ embedder })
    const fillWith = async (name: string, text: string) => {
      for (let index = 0; index < 10; index += 1) await engine.index(documentOf(`${name}${index}`, text))
      await engine.embedMissing()
    }
    await engine.index(documentOf('water', 'The sea is deep.'))
    await engine.index(documentOf('land', 'The hill is high.'))
    await engine.embedMissing()
    const few = await found(engine, 'xyzzy')
    assert.deepEqual(few.toSorted(), ['land', 'water'], 'of so few nobody knows what is near by chance')
    await engine.remove('land')
    for (let index = 0; index < 10; index += 1) await engine.index(documentOf(`odd${index}`, 'The odd hill is high.'))
    await found(engine, 'ocean')
    await engine.embedMissing()
    assert.deepEqual(
      await found(engine, 'xyzzy'),
      ['water'],
      'what was asked before there were vectors settles nothing',
    )
    await fillWith('land', 'The hill is high.')
    assert.deepEqual(await found(engine, 'xyzzy'), [], 'it is measured again')
    assert.deepEqual(await found(engine, 'ocean'), ['water'])
    await engine.close()
  })

  searchCase('an answer that had to do without the model says so', async (_, place) => {
    let fails = false
    const embedder = topicEmbedder(topics, {
      before: () => {
        if (fails) throw new Error('connection refused')
      },
    })
    const engine = await place.open({ embedder })
    await fill(engine)
    await engine.embedMissing()
    const ask = () => engine.search({ text: 'sea', collections: ['all'] })
    assert.equal((await ask()).degraded, undefined)
    fails = true
    const { hits, degraded } = await ask()
    assert.deepEqual(
      hits.map(({ document }) => document),
      ['water'],
    )
    assert.equal(degraded, 'Found by words alone: the embedding model topics: connection refused.')
    assert.equal((await engine.search({ text: 'sea', collections: ['all'], by: 'words' })).degraded, undefined)
    await engine.close()
  })

  searchCase('a model reads a chunk below its title and headings, and questions as questions', async (_, place) => {
    const embedder = topicEmbedder(topics)
    const engine = await place.open({ embedder })
    await engine.index(documentOf('a', '# Waters\n\nIt is salty.', { title: 'The sea' }))
    await engine.embedMissing()
    await engine.search({ text: 'ocean', collections: ['all'] })
    assert.deepEqual(embedder.asked.slice(0, 2), [
      { kind: 'document', texts: ['The sea\nWaters\n\n# Waters\n\nIt is salty.'] },
      { kind: 'query', texts: ['ocean'] },
    ])
    await engine.close()
  })

  searchCase('vectors are computed in batches, once, and progress is told', async (_, place) => {
    const embedder = topicEmbedder(topics, { batch: 4 })
    const engine = await place.open({ embedder })
    await engine.index(documentOf('long', 'The sea. '.repeat(1_000)))
    await fill(engine)
    const { chunks } = await engine.progress()
    const told: number[] = []
    await engine.embedMissing({ onProgress: (progress) => told.push(progress.embedded) })
    assert.deepEqual(
      told,
      Array.from({ length: Math.ceil(chunks / 4) }, (_unused, index) => Math.min(chunks, (index + 1) * 4)),
    )
    assert.ok(embedder.asked.every(({ texts }) => texts.length <= 4))
    const calls = embedder.asked.length
    assert.equal((await engine.embedMissing()).embedded, chunks)
    assert.equal(embedder.asked.length, calls)
    await engine.close()
  })

  searchCase('what was computed is kept when the work is called off or the model fails', async (_, place) => {
    let calls = 0
    const calledOff = new AbortController()
    const embedder = topicEmbedder(topics, {
      batch: 2,
      before: () => {
        calls += 1
        if (calls === 2) calledOff.abort()
        if (calls === 4) throw new Error('the model fell over')
      },
    })
    const engine = await place.open({ embedder })
    await engine.index(documentOf('long', 'The sea. '.repeat(1_000)))
    const { chunks } = await engine.progress()
    const partly = (await engine.embedMissing({ signal: calledOff.signal })).embedded
    assert.ok(partly >= 2 && partly < chunks)
    await assert.rejects(engine.embedMissing(), { message: 'the model fell over' })
    assert.ok((await engine.progress()).embedded >= partly)
    assert.equal((await engine.embedMissing()).embedded, chunks)
    await engine.close()
  })

  searchCase('another model starts over, and its predecessor is not used', async (_, place) => {
    const first = await place.open({ embedder: topicEmbedder(topics, { id: 'first' }) })
    await fill(first)
    await first.embedMissing()
    await first.close()
    const second = await place.open({ embedder: topicEmbedder([...topics, ['lake']], { id: 'second' }) })
    assert.equal((await second.progress()).embedded, 0)
    assert.deepEqual(await found(second, 'ocean'), [])
    assert.equal((await second.embedMissing()).embedded, 3)
    assert.deepEqual(await found(second, 'ocean'), ['water'])
    await second.close()
  })

  searchCase('a model that gives vectors of another length than before starts over too', async (_, place) => {
    const first = await place.open({ embedder: topicEmbedder(topics, { batch: 2 }) })
    await fill(first)
    await first.embedMissing()
    await first.close()
    const warnings: string[] = []
    const onWarning = (message: string) => void warnings.push(message)
    const second = await place.open({ embedder: topicEmbedder([['lake'], ...topics], { batch: 2 }), onWarning })
    assert.deepEqual(await found(second, 'ocean'), [])
    assert.match(warnings.join('\n'), /another length/)
    await second.index(documentOf('new', 'An ocean of words.'))
    assert.equal((await second.embedMissing()).embedded, 4)
    assert.deepEqual((await found(second, 'sea')).toSorted(), ['new', 'water'])
    await second.close()
  })

  searchCase('a changed document loses its vectors and gets new ones', async (_, place) => {
    const engine = await place.open({ embedder: topicEmbedder(topics) })
    await fill(engine)
    await engine.embedMissing()
    assert.deepEqual(await found(engine, 'ocean'), ['water'])
    await engine.index(documentOf('water', 'A hill instead.'))
    assert.deepEqual(await found(engine, 'ocean'), [])
    await engine.embedMissing()
    assert.deepEqual(await found(engine, 'mountain'), ['land', 'water'])
    await engine.remove('water')
    assert.deepEqual(await found(engine, 'mountain'), ['land'])
    await engine.close()
  })

  searchCase('meaning sees no more than words do', async (_, place) => {
    const engine = await place.open({ embedder: topicEmbedder(topics) })
    await engine.index(documentOf('hidden', 'The sea.', { collections: ['hidden'] }))
    await engine.index(documentOf('seen', 'The sea, some day, when all is done.'))
    await engine.index(documentOf('long', 'The sea. '.repeat(2_000)))
    await engine.embedMissing()
    const ids = await found(engine, 'ocean', { limit: 50 })
    assert.deepEqual(ids.toSorted(), ['long', 'long', 'long', 'seen'])
    assert.deepEqual(await found(engine, 'ocean', { documents: ['seen'] }), ['seen'])
    await engine.close()
  })

  searchCase('when the model fails, words alone have to do, and there is a warning', async (_, place) => {
    let fails = false
    const warnings: string[] = []
    const embedder = topicEmbedder(topics, {
      before: () => {
        if (fails) throw new Error('the model fell over')
      },
    })
    const engine = await place.open({ embedder, onWarning: (message) => void warnings.push(message) })
    await fill(engine)
    await engine.embedMissing()
    fails = true
    assert.deepEqual(await found(engine, 'sea'), ['water'])
    assert.deepEqual(await found(engine, 'ocean'), [])
    assert.equal(warnings.length, 2)
    assert.match(warnings[0]!, /words alone.*the model fell over/)
    await engine.close()
  })

  searchCase('vectors that are no numbers are refused', async (_, place) => {
    const embedder = { ...topicEmbedder(topics), embed: async () => [Float32Array.of(Number.NaN, 1)] }
    const engine = await place.open({ embedder })
    await engine.index(documentOf('a', 'The sea.'))
    await assert.rejects(engine.embedMissing(), { code: 'embedding' })
    assert.equal((await engine.progress()).embedded, 0)
    await engine.close()
  })
}

async function fill(engine: SearchEngine): Promise<void> {
  await engine.index(documentOf('water', 'The sea is deep.'))
  await engine.index(documentOf('land', 'The hill is high.'))
  await engine.index(documentOf('air', 'The sky is blue.'))
}
