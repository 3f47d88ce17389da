import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import {
  assemble,
  type AssemblyInput,
  chars,
  cutSentence,
  expectedCalls,
  layoutOf,
  planNote,
  type Turn,
  callCost,
} from '../../src/context.ts'
import { createModels, forecast, type Price } from '../../src/model.ts'
import type { SealedManifest } from '../../src/runtime/calls/seal.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { simulatedCache, simulatedRules } from '../kit/simulated-cache.ts'
import { opened } from './opened.ts'
import { systemClock } from '../../src/platform.ts'

const isNoteRequest = ({ bytes }: { readonly bytes: Buffer }) =>
  bytes.toString().includes('Write the note that will stand')

const server = await scriptedProvider({
  answer: (request) =>
    isNoteRequest(request)
      ? { text: 'They agreed on feet.', usage: { promptTokens: 9_000, outputTokens: 20 } }
      : { text: `Answer. ${'The tide comes in twice a day. '.repeat(60)}` },
  models: [{ name: 'priced' }, { name: 'plain' }],
})
after(() => server.close())

const facts = { window: 20_000, maxOutput: 1_500, tools: true }
const models = createModels({
  clock: systemClock,
  known,
  environment: { KEY: 'sk-test-0123456789abcdef' },
  providers: { local: { kind: 'openai-compatible', baseURL: server.url, apiKeyEnv: 'KEY' } },
  models: { 'local/priced': { ...facts, price: { input: 1, cachedInput: 0.25, output: 4 } }, 'local/plain': facts },
})

interface Talk {
  readonly model?: string
  readonly notes?: 'model' | 'index'
  readonly cutWhen?: 'full' | 'cheaper'
}

/** Talks, and returns the accounts of the calls. */
async function talk(t: TestContext, { model = 'local/priced', notes = 'index', cutWhen = 'cheaper' }: Talk) {
  const at = await opened(t, { models, settings: { model, notes, cutWhen, reserve: 1_500, margin: 0 } })
  let session = ''
  for (let turn = 0; turn < 55; turn += 1) {
    const view = await at.say(`Question ${turn}: how high is the water?`, session === '' ? {} : { session })
    session = view.session
    await at.runtime.idle(session)
  }
  const calls = (await at.store.calls(session)).filter(({ kind }) => kind === undefined)
  return { at, session, manifests: calls.map(({ manifest }) => manifest as SealedManifest) }
}

const whys = (manifests: readonly SealedManifest[]) => manifests.flatMap(({ cutRecord }) => cutRecord?.why ?? [])

for (const notes of ['index', 'model'] as const) {
  test(`with context.cutWhen "cheaper" a cut is made where later calls win by it, and says so: notes ${notes}`, async (t) => {
    const { at, session, manifests } = await talk(t, { notes })
    assert.ok(whys(manifests).includes('worth'), whys(manifests).join())
    const cut = manifests.find(({ cutRecord }) => cutRecord?.why === 'worth')!
    const { gain, again } = cut.cutRecord!
    assert.ok(gain && gain.calls >= 8 && gain.won > gain.cost * 1.5 && gain.again >= again)
    assert.match(
      cutSentence(cut.cutRecord!, { total: cut.used, used: cut.used }),
      /some \d+ more calls are expected: they win \$0\.\d+ for \$0\.\d+\./,
    )
    const form = cut.entries.find(({ layer }) => layer === 'note')?.form
    assert.equal(form, notes === 'model' ? 'words' : 'index')
    const { calls, identical, different } = await at.runtime.replay(session)
    assert.deepEqual([identical, different], [calls, []])
  })
}

test('a model without a price, and the usual setting, cut only where they must', async (t) => {
  for (const asked of [{ model: 'local/plain' }, { cutWhen: 'full' }] as const) {
    const { manifests } = await talk(t, asked)
    assert.deepEqual([...new Set(whys(manifests))], ['full'])
  }
})

/** Five times as dear above a size, in all of its parts. */
const steep = (tokens: number): Price => {
  const price = { input: 0.1, cachedInput: 0.01, cacheWrite: 0.125, output: 0.5 }
  const above = { input: 0.5, cachedInput: 0.05, cacheWrite: 0.625, output: 2.5 }
  return { ...price, above: { tokens, price: above } }
}

/** What prompts cost that grow by so much with each call, from a cache that has all of the call before. */
function grownBill(price: Price, knows: boolean, { calls, first, growth }: Readonly<Record<string, number>>): number {
  const history: Turn[] = []
  const said = (id: number, tokens: number): Turn => ({
    id: `t${id}`,
    messages: [
      { message: { role: 'user', content: `${id} ${'q'.repeat(tokens / 2)}` } },
      { message: { role: 'assistant', content: `${id} ${'a'.repeat(tokens / 2)}` } },
    ],
  })
  for (let id = 0; id < first! / growth!; id += 1) history.push(said(id, growth!))
  const recent: { at: number; used: number }[] = []
  let [dollars, cut, written]: [number, AssemblyInput['cut'], NonNullable<AssemblyInput['notes']>['written']] = [
    0,
    undefined,
    [],
  ]
  let before: readonly { readonly content: unknown; readonly tokens: number }[] = []
  for (let call = 0; call < calls!; call += 1) {
    const id = history.length
    const { growth: step, ...expected } = expectedCalls(recent.slice(-20), { available: 900_000, lifeSeconds: 300 })
    const worth = { calls: expected.calls, read: price.cachedInput!, write: price.cacheWrite! }
    const cliff = { tokens: price.above!.tokens, read: price.above!.price.cachedInput!, growth: step }
    const from = cut?.dropBefore === undefined ? 0 : history.findIndex((turn) => turn.id === cut?.dropBefore)
    const kept = history.filter((turn, index) => index >= from || cut?.first?.includes(turn.id))
    const { manifest, note, pieces } = assemble({
      layout: layoutOf('auto'),
      layers: [],
      history: kept,
      ...(kept.length < id ? { earlier: { turns: id - kept.length, tokens: id - kept.length } } : {}),
      current: { id: `t${id}`, messages: said(id, growth!).messages.slice(0, 1) },
      tools: [{ name: 'find', inputSchema: {}, reads: 'history' }],
      budget: { window: 1_000_000, reserve: 100_000 },
      counter: chars,
      notes: { written, ...(knows ? { worth: { ...worth, ...(step > 0 ? { cliff } : {}) } } : {}) },
      ...(cut ? { cut } : {}),
    })
    cut = manifest.cut
    if (note) written = [...written, note].filter(({ content }) => cut?.notes?.some((mark) => mark.content === content))
    const same = pieces.findIndex(
      (piece, index) => JSON.stringify(piece.content) !== JSON.stringify(before[index]?.content),
    )
    const reuse = pieces.slice(0, same < 0 ? pieces.length : same).reduce((sum, { tokens }) => sum + tokens, 0)
    const cache = { kind: 'marked', minimumTokens: 0, lifetimeSeconds: 300 } as const
    dollars += forecast({ promptTokens: manifest.used, reuseTokens: reuse, cache, price }).money!
    before = pieces
    recent.push({ at: call * 10_000, used: manifest.used })
    history.push(said(id, growth!))
  }
  return dollars
}

test('160 calls that grow past a cliff of the price cost a seventh where cuts know it', () => {
  const grown = { calls: 160, first: 40_000, growth: 1_000 }
  const price = steep(100_000)
  const [uncut, cut] = [grownBill(price, false, grown), grownBill(price, true, grown)]
  assert.ok(uncut > 0.8 && cut < uncut / 7, `$${uncut.toFixed(2)} uncut, $${cut.toFixed(2)} cut`)
})

test('a session stays below the cliff of its price where calls win by it, and the record says what the cut wins', async (t) => {
  const cache = simulatedCache({ rule: { ...simulatedRules.openai, minimumTokens: 0, step: 1 }, now: () => 0 })
  const provider = await scriptedProvider({
    cache,
    answer: () => ({ text: 'The tide comes in twice a day. '.repeat(60) }),
  })
  t.after(() => provider.close())
  const price = steep(8_000)
  const bill = async (cutWhen: 'full' | 'cheaper') => {
    const cliffs = createModels({
      clock: systemClock,
      known,
      environment: { KEY: 'sk-test-0123456789abcdef' },
      providers: { local: { kind: 'openai-compatible', baseURL: `${provider.url}/v1`, apiKeyEnv: 'KEY' } },
      models: { 'local/steep': { ...facts, window: 64_000, price } },
    })
    const settings = { model: 'local/steep', notes: 'index', cutWhen, reserve: 1_500, margin: 0 } as const
    const at = await opened(t, { models: cliffs, settings })
    let session = ''
    for (let turn = 0; turn < 28; turn += 1) {
      session = (await at.say(`Question ${turn}: how high is the water?`, session === '' ? {} : { session })).session
    }
    const calls = await at.store.calls(session)
    const manifests = calls.map(({ manifest }) => manifest as SealedManifest)
    const { identical, different } = await at.runtime.replay(session)
    assert.deepEqual([identical, different], [calls.length, []])
    const sizes = calls.map(({ outcome }) => outcome!.usage!.promptTokens!)
    const dollars = calls.reduce((sum, { outcome }) => sum + callCost(outcome!.usage!, price)!, 0)
    return { dollars, sizes, manifests }
  }
  const [uncut, cut] = [await bill('full'), await bill('cheaper')]
  assert.ok(Math.max(...uncut.sizes) > 12_000)
  assert.ok(Math.max(...cut.sizes) <= 8_000, cut.sizes.join())
  assert.ok(cut.dollars < uncut.dollars * 0.4, `${uncut.dollars} ${cut.dollars}`)
  const record = cut.manifests.find(({ cutRecord }) => cutRecord)!.cutRecord!
  assert.equal(record.why, 'worth')
  assert.ok(record.gain!.won > record.gain!.cost * 1.5)
  assert.match(
    cutSentence(record, { total: 1, used: 1 }),
    /they win \$0\.\d+ for \$0\.\d+ by staying below [78],\d{3} tokens\./,
  )
})

test('words for a note are asked for before a cliff, where enough calls are expected', () => {
  const history: Turn[] = Array.from({ length: 9 }, (_, id) => ({
    id: `t${id}`,
    messages: [{ message: { role: 'user', content: 'q'.repeat(1_000) } }],
  }))
  const input: AssemblyInput = {
    layout: layoutOf('auto'),
    layers: [],
    history,
    current: { id: 'now', messages: [{ message: { role: 'user', content: 'And?' } }] },
    budget: { window: 100_000, reserve: 10_000 },
    counter: chars,
    notes: { written: [] },
  }
  const { manifest } = assemble(input)
  const plan = (tokens: number, calls: number) => {
    const cliff = { tokens, read: 0.5, growth: 500 }
    return planNote(input, manifest, { worth: { calls, read: 0.1, write: 1, output: 5, cliff } })
  }
  assert.equal(plan(10_000, 20)?.through, 'now')
  assert.equal(plan(10_000, 7), undefined)
  assert.equal(plan(20_000, 20), undefined)
})
