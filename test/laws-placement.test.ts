import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import test from 'node:test'
import {
  type CacheRules,
  choosePlacements,
  keepPlacements,
  type Layer,
  layoutOf,
  layouts,
  type Placement,
  type PlacedCall,
  type PlacementPrice,
  placementPrices,
  type Price,
  tokenx,
} from '../src/context.ts'
import { forAll } from './arbitrary/for-all.ts'

const layout = layoutOf({ extends: 'auto', placements: { weather: 'auto' } })
/** Layers whose place the layout leaves to the prices, and others. */
const free = ['project', 'custom-agent', 'tool-history', 'weather']
const pinned = ['instructions', 'reminder']
const places: readonly Placement[] = ['preamble', 'before-input']

type PlacedEntry = PlacedCall['layers'][number]

const entry = (id: string): fc.Arbitrary<PlacedEntry> =>
  fc.record({
    id: fc.constant(id),
    layer: fc.constant(id),
    placement: fc.constantFrom(
      ...(id === 'instructions' ? ['system' as const] : id === 'reminder' ? ['after-input' as const] : places),
    ),
    tokens: fc.integer({ min: 1, max: 4000 }),
    digest: fc.constantFrom('a', 'b'),
    behind: fc.integer({ min: 0, max: 20_000 }),
  })
const call: fc.Arbitrary<PlacedCall> = fc.record({
  turn: fc.constantFrom('t1', 't2', 't3'),
  model: fc.constantFrom('one', 'one', 'one', 'two'),
  at: fc.integer({ min: 0, max: 1_000_000 }),
  used: fc.integer({ min: 0, max: 30_000 }),
  history: fc.integer({ min: 0, max: 20_000 }),
  input: fc.integer({ min: 1, max: 4000 }),
  layers: fc
    .tuple(...[...free, ...pinned].map((id) => fc.option(entry(id), { nil: undefined, freq: 6 })))
    .map((all) => all.filter((one) => one !== undefined)),
  announced: fc.dictionary(
    fc.constantFrom('t1/head-change/project', 't2/head-change/weather'),
    fc.integer({ min: 1, max: 500 }),
  ),
})
const calls = fc.array(call, { minLength: 1, maxLength: 30 })
const cache: fc.Arbitrary<CacheRules> = fc.record({
  kind: fc.constantFrom('automatic', 'marked'),
  minimumTokens: fc.constantFrom(0, 1024),
  lifetimeSeconds: fc.constantFrom(300, 3600),
})
const price: fc.Arbitrary<Price> = fc.record({
  input: fc.integer({ min: 1, max: 20 }),
  cachedInput: fc.constantFrom(0, 0.1, 1),
  cacheWrite: fc.integer({ min: 20, max: 30 }),
  output: fc.constant(50),
})
const rules = fc.record({
  cache: fc.option(cache, { nil: undefined }),
  price: fc.option(price, { nil: undefined }),
  announces: fc.boolean(),
})
const asked = fc.record({ calls, rules, cold: fc.boolean() })

const layers: readonly Layer[] = [...free, ...pinned].map((id) => ({
  id,
  layer: id,
  renditions: [{ form: 'full', text: 'It is so.' }],
}))
const input = { layout, layers, counter: tokenx }

/** What a price is compared by: money, or full tokens and a tenth of the cached ones. */
function costOf({ full, cached, money }: PlacementPrice): number {
  return money === undefined ? full + cached / 10 : money * 1e9
}

test('each layer of a call has the price of its place and of another one', () => {
  forAll(asked, ({ calls: all, rules: some }) => {
    const prices = placementPrices(all, { ...some, placements: layout.placements })
    for (const { id, placement } of all.at(-1)!.layers) {
      const { here, other, by } = prices.get(id) ?? assert.fail(`${id} has no prices`)
      assert.equal(here.placement, placement)
      assert.notEqual(other.placement, placement)
      assert.equal(here.money === undefined, some.price === undefined)
      assert.equal(other.money === undefined, some.price === undefined)
      assert.equal(by, free.includes(id) ? 'price' : 'layout')
    }
  })
})

test('a place that was chosen is never the dearer one, the price of the move included', () => {
  forAll(asked, ({ calls: all, rules: some, cold }) => {
    const last = all.at(-1)!
    const chosen = choosePlacements(input, { calls: all, rules: some, loses: cold ? 'nothing' : last })
    if (all.length < 5) return assert.deepEqual(chosen, layers)
    const prices = placementPrices(all, { ...some, placements: layout.placements })
    const expected = Math.min(all.length, 20) / 100
    for (const was of last.layers.filter(({ id }) => free.includes(id))) {
      const { here, other } = prices.get(was.id)!
      const lost = cold || !some.cache ? 0 : was.placement === 'preamble' ? was.behind : last.history
      const move = some.price ? lost * (some.price.cacheWrite! - some.price.cachedInput!) * 1000 : lost * 0.9
      const stays = costOf(here) * expected
      const moves = costOf(other) * expected + move
      const is = placeOf(chosen, was.id)
      assert.ok(is === here.placement || is === other.placement)
      const [taken, left] = is === here.placement ? [stays, moves] : [moves, stays]
      assert.ok(taken <= left + 1e-3, `${was.id}: ${is} costs ${taken}, the other place ${left}`)
    }
  })
})

test('between two compositions every layer stays where it was', () => {
  forAll(call, ({ layers: before }) => {
    const kept = keepPlacements(input, Object.fromEntries(before.map(({ id, placement }) => [id, placement])))
    for (const { id, placement } of before.filter((one) => free.includes(one.id)))
      assert.equal(placeOf(kept, id), placement)
  })
})

test('a layer that its source or its layout places is never moved', () => {
  const named = Object.values(layouts).filter(({ name }) => name !== 'auto')
  forAll(fc.tuple(asked, fc.constantFrom(...named)), ([{ calls: all, rules: some }, other]) => {
    const known = layers.filter(({ layer }) => layer !== 'weather')
    const facts = { calls: all, rules: some, loses: 'nothing' } as const
    assert.deepEqual(choosePlacements({ ...input, layers: known, layout: other }, facts), known)
    const placed = layers.map((layer) => ({ ...layer, placement: 'system' as const }))
    assert.deepEqual(choosePlacements({ ...input, layers: placed }, facts), placed)
    const chosen = choosePlacements(input, facts)
    for (const id of pinned)
      assert.equal(
        chosen.find((layer) => layer.id === id),
        layers.find((layer) => layer.id === id),
      )
  })
})

test('the same calls, kept and read again, give the same places', () => {
  forAll(asked, ({ calls: all, rules: some }) => {
    const again = JSON.parse(JSON.stringify(all)) as typeof all
    const choose = (of: typeof all) => choosePlacements(input, { calls: of, rules: some, loses: of.at(-1)! })
    assert.deepEqual(choose(again), choose(all))
  })
})

test('while the cache is warm, a layer that never changes is never dearer in the head than before the message', () => {
  const warm = fc.array(call, { minLength: 2, maxLength: 20 }).map((all) =>
    all.map((one, index): PlacedCall => ({
      ...one,
      model: 'one',
      at: index * 1000,
      used: 5000,
      announced: {},
      layers: [
        { id: 'project', layer: 'project', placement: 'preamble', tokens: 700, digest: 'a', behind: one.history },
      ],
    })),
  )
  forAll(fc.record({ calls: warm, cache, price: fc.option(price, { nil: undefined }) }), ({ calls: all, ...some }) => {
    const prices = placementPrices(all, { ...some, announces: true, placements: layout.placements })
    const { here, other } = prices.get('project')!
    assert.ok(costOf(here) <= costOf(other))
  })
})

test('a layer that is another one with each turn, and as long as the messages, belongs before the message', () => {
  const all = Array.from({ length: 12 }, (_, index): PlacedCall => ({
    turn: `t${index}`,
    model: 'one',
    at: index * 1000,
    used: 9000,
    history: 6000,
    input: 50,
    layers: [{ id: 'weather', layer: 'weather', placement: 'preamble', tokens: 600, digest: 'a', behind: 6000 }],
    announced: Object.fromEntries(
      Array.from({ length: index }, (_none, turn) => [`t${turn}/head-change/weather`, 600]),
    ),
  }))
  const warm: CacheRules = { kind: 'automatic', minimumTokens: 0, lifetimeSeconds: 300 }
  const facts = { calls: all, rules: { cache: warm, announces: true }, loses: 'nothing' } as const
  assert.equal(placeOf(choosePlacements(input, facts), 'weather'), 'before-input')
})

/** Where a layer is placed: by the choice, or where the layout starts. */
function placeOf(chosen: readonly Layer[], id: string): Placement {
  const { placement } = chosen.find((layer) => layer.id === id) ?? assert.fail()
  if (placement) return placement
  return id === 'custom-agent' || id === 'tool-history' ? 'before-input' : 'preamble'
}
