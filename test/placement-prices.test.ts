import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { type Manifest, placementSentences } from '../src/context.ts'
import { scriptedProvider } from '../src/testing.ts'
import { openedHome } from './home/opened-home.ts'

const lines = (count: number, what: string) =>
  Array.from({ length: count }, (_, index) => `- ${what} ${index + 1}: ask before you write a file.`).join('\n')

/** A home with an agent whose prompt is so short that it begins before the message. */
async function begun(t: TestContext, context: object = {}, window = 24_000) {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-05T10:00:00.000Z') })
  const provider = await scriptedProvider({ answer: () => ({ text: `Certainly. ${'It is so. '.repeat(20)}` }) })
  t.after(() => provider.close())
  const price = { input: 3, cachedInput: 0.3, output: 15 }
  const cache = { kind: 'automatic', minimumTokens: 100, lifetimeSeconds: 300 }
  const configuration = {
    model: 'own/scripted',
    models: { 'own/scripted': { window, tools: true, price, cache } },
    providers: { own: { kind: 'openai-compatible', baseURL: `${provider.url}/v1` } },
    context: { timeZone: 'UTC', ...context },
  }
  const files = { 'workspace/AGENTS.md': `# Rules\n\n${lines(20, 'rule')}\n` }
  let home = await openedHome(t, files, configuration)
  await home.accept()
  const { id: agent } = await home.runtime.agents.create({ name: 'Poet', prompt: 'You are a poet. Answer in verse.' })
  return {
    provider,
    agent,
    get home() {
      return home
    },
    async restart() {
      home = await home.reopened(configuration)
    },
    /** Says so many long messages, one a minute. */
    async goOn(session: string, turns: number) {
      for (let turn = 0; turn < turns; turn += 1) {
        t.mock.timers.tick(60_000)
        await home.say(`Part ${turn}. ${'Please tell me more of it. '.repeat(30)}`, session)
      }
    },
  }
}

type Begun = Awaited<ReturnType<typeof begun>>

/** Where a layer was in each call of a session. */
async function slotsOf({ home }: Begun, session: string, layer: string): Promise<readonly string[]> {
  const calls = await home.runtime.store.calls(session)
  return calls.flatMap(({ manifest }) => manifest.entries.find((entry) => entry.layer === layer)?.slot ?? [])
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

/** A session with an agent whose prompt is small. */
async function withPoet(t: TestContext, context: object = {}, window?: number) {
  const begin = await begun(t, context, window)
  const { id: session } = await begin.home.runtime.newSession({ choices: { agent: begin.agent } })
  return { begin, session }
}

test('a small agent stays before the message while the cache is warm, and moves to the head where that costs nothing', async (t) => {
  const { begin, session } = await withPoet(t)
  await begin.goOn(session, 6)
  assert.deepEqual(await slotsOf(begin, session, 'custom-agent'), Array(6).fill('before-input'))
  const { manifest } = await begin.home.runtime.preview({ session })
  const { places } = manifest.entries.find(({ layer }) => layer === 'custom-agent') ?? assert.fail()
  assert.equal(places?.by, 'price')
  assert.ok(places.other.money! < places.here.money!)
  // The cache is over.
  t.mock.timers.tick(3_600_000)
  await begin.goOn(session, 2)
  await begin.restart()
  await begin.goOn(session, 2)
  assert.deepEqual((await slotsOf(begin, session, 'custom-agent')).slice(6), Array(4).fill('preamble'))
  const { calls, identical, different } = await begin.home.runtime.replay(session)
  assert.deepEqual([identical, different], [calls, []])
})

test('a layer moves at a cut, and not before', async (t) => {
  const { begin, session } = await withPoet(t, {}, 9000)
  await begin.goOn(session, 40)
  const slots = await slotsOf(begin, session, 'custom-agent')
  const moved = slots.indexOf('preamble')
  assert.ok(moved > 0)
  assert.ok(slots.slice(0, moved).every((slot) => slot === 'before-input'))
  const calls = await begin.home.runtime.store.calls(session)
  const marks = (at: number) => JSON.stringify(calls[at]!.manifest.cut ?? null)
  assert.notEqual(marks(moved), marks(moved - 1))
  for (let at = 1; at < slots.length; at += 1) {
    if (slots[at] !== slots[at - 1]) assert.notEqual(marks(at), marks(at - 1), `it moved in call ${at} without a cut`)
  }
  const { calls: all, identical } = await begin.home.runtime.replay(session)
  assert.equal(identical, all)
})

for (const context of [{ placements: { 'custom-agent': 'before-input' } }, { layout: 'chai' }, { layout: 'onyx' }]) {
  test(`a place that the layout decides stays, whatever it costs: ${JSON.stringify(context)}`, async (t) => {
    const { begin, session } = await withPoet(t, context)
    await begin.goOn(session, 6)
    t.mock.timers.tick(3_600_000)
    await begin.goOn(session, 2)
    assert.deepEqual(await slotsOf(begin, session, 'custom-agent'), Array(8).fill('before-input'))
  })
}

test('a place of `auto` in the configuration is the cheaper one', async (t) => {
  const { begin, session } = await withPoet(t, { placements: { instructions: 'auto' } })
  await begin.goOn(session, 6)
  t.mock.timers.tick(3_600_000)
  await begin.goOn(session, 2)
  assert.deepEqual(await slotsOf(begin, session, 'instructions'), Array(8).fill('preamble'))
})
