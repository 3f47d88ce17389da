import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { type Manifest, placementSentences } from '../src/context.ts'
import { scriptedProvider } from '../src/testing.ts'
import { openedHome } from './home/opened-home.ts'

const lines = (count: number, what: string) =>
  Array.from({ length: count }, (_, index) => `- ${what} ${index + 1}: ask before you write a file.`).join('\n')

/** A home with an agent whose prompt is so short that it begins before the message. */
async function begun(t: TestContext, context: object = {}) {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-05T10:00:00.000Z') })
  const provider = await scriptedProvider({ answer: () => ({ text: `Certainly. ${'It is so. '.repeat(20)}` }) })
  t.after(() => provider.close())
  const price = { input: 3, cachedInput: 0.3, output: 15 }
  const cache = { kind: 'automatic', minimumTokens: 100, lifetimeSeconds: 300 }
  const configuration = {
    model: 'own/scripted',
    models: { 'own/scripted': { window: 24_000, tools: true, price, cache } },
    providers: { own: { kind: 'openai-compatible', baseURL: `${provider.url}/v1` } },
    context: { timeZone: 'UTC', ...context },
  }
  const files = { 'workspace/AGENTS.md': `# Rules\n\n${lines(20, 'rule')}\n` }
  return { home: await openedHome(t, files, configuration), provider }
}

const layerSlots = new Set(['system', 'preamble', 'before-input', 'after-input'])

function placesOf({ entries }: Manifest) {
  return entries.filter(({ slot, outcome }) => layerSlots.has(slot) && outcome !== 'omitted')
}

test('each layer of a call has the prices of both of its places, and nothing else has', async (t) => {
  const { home } = await begun(t)
  const { session } = await home.say('Good morning.')
  await home.say('And now?', session)
  for (const { manifest } of await home.runtime.store.calls(session)) {
    const layers = placesOf(manifest)
    assert.ok(layers.length > 0)
    for (const { id, slot, places } of layers) {
      assert.equal(places?.here.placement, slot, id)
      assert.notEqual(places?.other.placement, slot, id)
      assert.ok(places?.here.money !== undefined && places.other.money !== undefined, id)
    }
    for (const entry of manifest.entries) if (!layers.includes(entry)) assert.equal(entry.places, undefined)
  }
})

test('a stable layer is cheaper in the head than before the message, and the preview says both prices', async (t) => {
  const { home } = await begun(t)
  const { session } = await home.say('Good morning.')
  for (let turn = 0; turn < 3; turn += 1) await home.say(`Part ${turn}. ${'Please. '.repeat(40)}`, session)
  const { manifest } = await home.runtime.preview({ session, input: 'And now?' })
  const { places } = placesOf(manifest).find(({ layer }) => layer === 'instructions') ?? assert.fail()
  assert.ok(places!.here.money! < places!.other.money!)
  assert.deepEqual(placementSentences(manifest), [])
})
