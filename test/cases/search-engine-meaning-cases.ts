import assert from 'node:assert/strict'
import type { Embedder, SearchEngine } from '../../src/search.ts'
import { documentIds, searchDocument, findDocuments, type SearchCase, topicEmbedder } from './search-engine-fixture.ts'

const topics = [
  ['sea', 'ocean'],
  ['hill', 'mountain'],
] as const

/** Cases with an embedding model, and with one that fails. */
export function meaningCases(searchCase: SearchCase): void {
  searchCase('an embedding model finds texts with the same meaning and other words', async (plain, open) => {
    await fill(plain)
    await plain.close()
    const engine = await open({ embedder: topicEmbedder(topics) })
    assert.deepEqual(await findDocuments(engine, 'ocean'), [])
    const progress = await engine.embedMissing()
    assert.deepEqual(progress, { documents: 3, indexed: 3, chunks: 3, embedded: 3 })
    assert.deepEqual(await findDocuments(engine, 'ocean'), ['water'])
  })

  searchCase('a hit names the lists that found it, and hits of both lists come first', async (_, open) => {
    const engine = await open({ embedder: topicEmbedder(topics) })
    await fill(engine)
    await engine.index(searchDocument('both', 'The ocean, deep and wide.'))
    await engine.index(searchDocument('words', 'They called it Ocean.', { title: 'Ocean' }))
    await engine.embedMissing()
    const { hits } = await engine.search({ text: 'wide ocean', collections: ['all'] })
    assert.equal(hits[0]?.document, 'both')
    const lists = hits[0].ranks.map((rank) => rank.by)
    assert.deepEqual(lists, ['words', 'meaning'])
    for (const { score, ranks } of hits) {
      const sum = ranks.reduce((total, { by, rank }) => total + (by === 'words' ? 1 : 0.1) / (60 + rank), 0)
      assert.ok(Math.abs(score - sum) < 1e-12)
    }
    const water = hits.find((hit) => hit.document === 'water')
    const nearness = water?.ranks.map(({ by, value }) => [by, Math.round(value * 1000) / 1000])
    assert.deepEqual(nearness, [['meaning', 1]])
  })

  searchCase('a search can use words alone or meaning alone', async (_, open) => {
    const engine = await open({ embedder: topicEmbedder(topics) })
    await fill(engine)
    await engine.index(searchDocument('words', 'They called it Ocean Street.', { title: 'Street' }))
    await engine.embedMissing()
    assert.deepEqual(await findDocuments(engine, 'street', { by: 'words' }), ['words'])
    assert.deepEqual(await findDocuments(engine, 'ocean', { by: 'words' }), ['words'])
    assert.deepEqual((await findDocuments(engine, 'ocean', { by: 'meaning' })).toSorted(), ['water', 'words'])
    assert.deepEqual(await findDocuments(engine, 'street', { by: 'meaning' }), [])
  })

  searchCase('hits by meaning alone come after hits by words', async (_, open) => {
    const hitsWith = async (weight?: number) => {
      const engine = await open({
        embedder: topicEmbedder(topics),
        meaning: { ...(weight !== undefined && { weight }) },
      })
      await engine.index(searchDocument('model', 'Sea.'))
      await engine.index(searchDocument('words', 'They write about the Ocean here.'))
      for (let index = 0; index < 5; index += 1)
        await engine.index(searchDocument(`more${index}`, 'An old map, write to us.'))
      await engine.embedMissing()
      const ids = await findDocuments(engine, 'write about the ocean')
      await engine.close()
      return ids
    }
    assert.deepEqual((await hitsWith()).at(-1), 'model')
    assert.equal((await hitsWith(1)).indexOf('model'), 1)
    assert.ok(!(await hitsWith(0)).includes('model'))
  })

  searchCase('a passage below the noise floor is not a hit', async (_, open) => {
    const embedder = topicEmbedder(topics)
    const engine = await open({ embedder, meaning: { floor: 0.9 } })
    await engine.index(searchDocument('sea', 'The sea.'))
    await engine.index(searchDocument('both', 'The sea below the hill.'))
    await engine.embedMissing()
    assert.deepEqual(await findDocuments(engine, 'ocean'), ['sea'])
    await engine.close()
    const lower = await open({ embedder, meaning: { floor: 0.5 } })
    assert.deepEqual(await findDocuments(lower, 'ocean'), ['sea', 'both'])
  })

  searchCase(
    'a meaningless query finds nothing with a model that gives similar vectors to all texts',
    async (_, open) => {
      const inner = topicEmbedder(topics)
      const alike = (vector: Float32Array, text: string) => Float32Array.from([...vector, text.includes('odd') ? 0 : 2])
      const embedder: Embedder = {
        ...inner,
        id: 'alike',
        embed: async (texts, options) =>
          (await inner.embed(texts, options)).map((vector, index) => alike(vector, texts[index]!)),
      }
      const engine = await open({ embedder })
      const fillWith = async (name: string, text: string) => {
        for (let index = 0; index < 10; index += 1) await engine.index(searchDocument(`${name}${index}`, text))
        await engine.embedMissing()
      }
      await engine.index(searchDocument('water', 'The sea is deep.'))
      await engine.index(searchDocument('land', 'The hill is high.'))
      await engine.embedMissing()
      const few = await findDocuments(engine, 'xyzzy')
      assert.deepEqual(few.toSorted(), ['land', 'water'], 'of so few nobody knows what is near by chance')
      await engine.remove('land')
      for (let index = 0; index < 10; index += 1)
        await engine.index(searchDocument(`odd${index}`, 'The odd hill is high.'))
      await findDocuments(engine, 'ocean')
      await engine.embedMissing()
      assert.deepEqual(
        await findDocuments(engine, 'xyzzy'),
        ['water'],
        'what was asked before there were vectors settles nothing',
      )
      await fillWith('land', 'The hill is high.')
      assert.deepEqual(await findDocuments(engine, 'xyzzy'), [], 'it is measured again')
      assert.deepEqual(await findDocuments(engine, 'ocean'), ['water'])
    },
  )

  searchCase('a search that could not use the model reports it', async (_, open) => {
    let fails = false
    const embedder = topicEmbedder(topics, {
      before: () => {
        if (fails) throw new Error('connection refused')
      },
    })
    const engine = await open({ embedder })
    await fill(engine)
    await engine.embedMissing()
    const ask = () => engine.search({ text: 'sea', collections: ['all'] })
    assert.equal((await ask()).degraded, undefined)
    fails = true
    const { hits, degraded } = await ask()
    assert.deepEqual(documentIds(hits), ['water'])
    assert.equal(degraded, 'Found by words alone: the embedding model topics: connection refused.')
    assert.equal((await engine.search({ text: 'sea', collections: ['all'], by: 'words' })).degraded, undefined)
  })

  searchCase('a model embeds a chunk with its title and headings, and queries as queries', async (_, open) => {
    const embedder = topicEmbedder(topics)
    const engine = await open({ embedder })
    await engine.index(searchDocument('a', '# Waters\n\nIt is salty.', { title: 'The sea' }))
    await engine.embedMissing()
    await engine.search({ text: 'ocean', collections: ['all'] })
    assert.deepEqual(embedder.requests.slice(0, 2), [
      { kind: 'document', texts: ['The sea\nWaters\n\n# Waters\n\nIt is salty.'] },
      { kind: 'query', texts: ['ocean'] },
    ])
  })

  searchCase('vectors are computed once, in batches, with progress reports', async (_, open) => {
    const embedder = topicEmbedder(topics, { batch: 4 })
    const engine = await open({ embedder })
    await engine.index(searchDocument('long', 'The sea. '.repeat(1_000)))
    await fill(engine)
    const { chunks } = await engine.progress()
    const reports: number[] = []
    await engine.embedMissing({ onProgress: (progress) => reports.push(progress.embedded) })
    assert.deepEqual(
      reports,
      Array.from({ length: Math.ceil(chunks / 4) }, (_unused, index) => Math.min(chunks, (index + 1) * 4)),
    )
    assert.ok(embedder.requests.every(({ texts }) => texts.length <= 4))
    const calls = embedder.requests.length
    assert.equal((await engine.embedMissing()).embedded, chunks)
    assert.equal(embedder.requests.length, calls)
  })

  searchCase('vectors are kept when embedding is aborted or the model fails', async (_, open) => {
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
    const engine = await open({ embedder })
    await engine.index(searchDocument('long', 'The sea. '.repeat(1_000)))
    const { chunks } = await engine.progress()
    const partly = (await engine.embedMissing({ signal: calledOff.signal })).embedded
    assert.ok(partly >= 2 && partly < chunks)
    await assert.rejects(engine.embedMissing(), { message: 'the model fell over' })
    assert.ok((await engine.progress()).embedded >= partly)
    assert.equal((await engine.embedMissing()).embedded, chunks)
  })

  searchCase('with another model all vectors are computed again, and old ones are not used', async (_, open) => {
    const first = await open({ embedder: topicEmbedder(topics, { id: 'first' }) })
    await fill(first)
    await first.embedMissing()
    await first.close()
    const second = await open({ embedder: topicEmbedder([...topics, ['lake']], { id: 'second' }) })
    assert.equal((await second.progress()).embedded, 0)
    assert.deepEqual(await findDocuments(second, 'ocean'), [])
    assert.equal((await second.embedMissing()).embedded, 3)
    assert.deepEqual(await findDocuments(second, 'ocean'), ['water'])
  })

  searchCase('with another vector length all vectors are computed again', async (_, open) => {
    const first = await open({ embedder: topicEmbedder(topics, { batch: 2 }) })
    await fill(first)
    await first.embedMissing()
    await first.close()
    const warnings: string[] = []
    const onWarning = (message: string) => void warnings.push(message)
    const second = await open({ embedder: topicEmbedder([['lake'], ...topics], { batch: 2 }), onWarning })
    assert.deepEqual(await findDocuments(second, 'ocean'), [])
    assert.match(warnings.join('\n'), /another length/)
    await second.index(searchDocument('new', 'An ocean of words.'))
    assert.equal((await second.embedMissing()).embedded, 4)
    assert.deepEqual((await findDocuments(second, 'sea')).toSorted(), ['new', 'water'])
  })

  searchCase('a changed document loses its vectors and gets new ones', async (_, open) => {
    const engine = await open({ embedder: topicEmbedder(topics) })
    await fill(engine)
    await engine.embedMissing()
    assert.deepEqual(await findDocuments(engine, 'ocean'), ['water'])
    await engine.index(searchDocument('water', 'A hill instead.'))
    assert.deepEqual(await findDocuments(engine, 'ocean'), [])
    await engine.embedMissing()
    assert.deepEqual(await findDocuments(engine, 'mountain'), ['land', 'water'])
    await engine.remove('water')
    assert.deepEqual(await findDocuments(engine, 'mountain'), ['land'])
  })

  searchCase('a search by meaning stays in the same scope as a search by words', async (_, open) => {
    const engine = await open({ embedder: topicEmbedder(topics) })
    await engine.index(searchDocument('hidden', 'The sea.', { collections: ['hidden'] }))
    await engine.index(searchDocument('seen', 'The sea, some day, when all is done.'))
    await engine.index(searchDocument('long', 'The sea. '.repeat(2_000)))
    await engine.embedMissing()
    const ids = await findDocuments(engine, 'ocean', { limit: 50 })
    assert.deepEqual(ids.toSorted(), ['long', 'long', 'long', 'seen'])
    assert.deepEqual(await findDocuments(engine, 'ocean', { documents: ['seen'] }), ['seen'])
  })

  searchCase('when the model fails, the search uses words alone and warns', async (_, open) => {
    let fails = false
    const warnings: string[] = []
    const embedder = topicEmbedder(topics, {
      before: () => {
        if (fails) throw new Error('the model fell over')
      },
    })
    const engine = await open({ embedder, onWarning: (message) => void warnings.push(message) })
    await fill(engine)
    await engine.embedMissing()
    fails = true
    assert.deepEqual(await findDocuments(engine, 'sea'), ['water'])
    assert.deepEqual(await findDocuments(engine, 'ocean'), [])
    assert.equal(warnings.length, 2)
    assert.match(warnings[0]!, /words alone.*the model fell over/)
  })

  searchCase('vectors with other values than numbers are rejected', async (_, open) => {
    const embedder = { ...topicEmbedder(topics), embed: async () => [Float32Array.of(Number.NaN, 1)] }
    const engine = await open({ embedder })
    await engine.index(searchDocument('a', 'The sea.'))
    await assert.rejects(engine.embedMissing(), { code: 'embedding' })
    assert.equal((await engine.progress()).embedded, 0)
  })
}

async function fill(engine: SearchEngine): Promise<void> {
  await engine.index(searchDocument('water', 'The sea is deep.'))
  await engine.index(searchDocument('land', 'The hill is high.'))
  await engine.index(searchDocument('air', 'The sky is blue.'))
}
