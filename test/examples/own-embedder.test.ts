import assert from 'node:assert/strict'
import { test } from 'node:test'
import spelling from '../../examples/09-own-embedder.ts'
import { search } from '../../src/capabilities/search/search.ts'
import { fileEmbedder } from '../../src/capability.ts'
import { startCapabilities } from '../../src/capability/toolkit.ts'
import { openSqliteSearch } from '../../src/search.ts'
import { capabilityCases, capabilityHost } from '../../src/testing.ts'
import { systemClock } from '../../src/platform.ts'

capabilityCases(test, spelling)

test('the example of an embedding model is chosen by its kind, and finds a word that is spelt otherwise', async (t) => {
  const settings = {
    search: search.settings!.schema.parse({ embedding: { kind: 'spelling', model: 'trigrams', floor: 0.3 } }),
  }
  const running = await startCapabilities([search, spelling], await capabilityHost({ settings }))
  t.after(() => running.stop())
  const engine = await openSqliteSearch({ clock: systemClock, path: ':memory:', ...running.capability(fileEmbedder) })
  t.after(() => engine.close())
  for (const text of ['Marigold', 'Eddystone']) {
    await engine.index({ id: text, title: '', collections: ['all'], digest: '1', text })
  }
  assert.equal((await engine.embedMissing()).embedded, 2)
  const { hits } = await engine.search({ text: 'Marygold', collections: ['all'] })
  assert.deepEqual(
    hits.map(({ document, ranks }) => [document, ranks.map(({ by }) => by)]),
    [['Marigold', ['meaning']]],
  )
})
