import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providerCapabilities } from '../../src/capabilities/providers.ts'
import { search } from '../../src/capabilities/search/search.ts'
import { type AnyCapability, capability, fileEmbedder } from '../../src/capability.ts'
import { startCapabilities } from '../../src/capability/toolkit.ts'
import { type EmbedderKind, openSqliteSearch } from '../../src/search.ts'
import type { EmbedderSettings } from '../../src/search/embedder/http-embedder.ts'
import { capabilityHost } from '../../src/testing.ts'
import { systemClock } from '../../src/platform.ts'

test('a capability contributes an embedding model of its own, and passages are found by it', async (t) => {
  const opened: EmbedderSettings[] = []
  const own = capability({ name: 'lights', models: { embedders: [lights(opened)] } })
  const embedding = { kind: 'lights', model: 'two', apiKeyEnv: 'LIGHTS_KEY', dimensions: 2, floor: 0.5 }
  const environment = { LIGHTS_KEY: 'k' }
  // `search` starts first: the order of the list does not matter.
  const { running, warnings } = await started([search, own], { embedding }, environment)
  t.after(() => running.stop())
  assert.deepEqual(warnings, [])
  const [{ clock: _, ...asked }] = opened as [EmbedderSettings]
  assert.deepEqual([opened.length, asked], [1, { model: 'two', environment, apiKey: 'k', dimensions: 2 }])

  const engine = await openSqliteSearch({ clock: systemClock, path: ':memory:', ...running.capability(fileEmbedder) })
  t.after(() => engine.close())
  for (const text of ['The lighthouse flashes twice.', 'High water is at noon.']) {
    await engine.index({ id: text, title: '', collections: ['all'], digest: '1', text })
  }
  assert.equal((await engine.embedMissing()).embedded, 2)
  const { hits } = await engine.search({ text: 'Leuchtturm', collections: ['all'] })
  assert.deepEqual(
    hits.map(({ document, ranks }) => [document, ranks.map(({ by }) => by)]),
    [['The lighthouse flashes twice.', ['meaning']]],
  )
})

test('without the capability of a provider its embedding models are gone', async (t) => {
  const embedding = { kind: 'ollama', model: 'nomic-embed-text' }
  const all = await started([search, ...providerCapabilities], { embedding })
  t.after(() => all.running.stop())
  assert.match(all.running.capability(fileEmbedder)!.embedder!.id, /^ollama\/nomic-embed-text /)
  assert.deepEqual(all.warnings, [])

  const rest = await started([search, ...providerCapabilities.filter(({ name }) => name !== 'ollama')], { embedding })
  t.after(() => rest.running.stop())
  assert.deepEqual(rest.running.capability(fileEmbedder), {})
  assert.deepEqual(rest.warnings, [
    'search.embedding.kind is ollama, which no capability provides. Use one of: openai-compatible.',
  ])
})

async function started(
  capabilities: readonly AnyCapability[],
  settings: object,
  environment: Readonly<Record<string, string>> = {},
) {
  const warnings: string[] = []
  const host = await capabilityHost({
    settings: { search: search.settings!.schema.parse(settings) },
    environment,
    warn: (text) => void warnings.push(text),
  })
  return { running: await startCapabilities(capabilities, host), warnings }
}

/** An embedding model of two directions: lights at sea, and everything else. */
function lights(opened: EmbedderSettings[]): EmbedderKind {
  return {
    kind: 'lights',
    open(settings) {
      opened.push(settings)
      return {
        id: `lights/${settings.model}`,
        batch: 8,
        embed: async (texts) =>
          texts.map((text) => (/lighthouse|Leuchtturm/.test(text) ? Float32Array.of(1, 0) : Float32Array.of(0, 1))),
      }
    },
  }
}
