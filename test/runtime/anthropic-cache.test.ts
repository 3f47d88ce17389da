import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { createModels } from '../../src/model.ts'
import { callCost } from '../../src/context.ts'
import type { SealedManifest } from '../../src/runtime/calls/seal.ts'
import { scriptedProvider } from '../../src/testing.ts'
import { simulatedCache, simulatedRules } from '../kit/simulated-cache.ts'
import { fieldsOf, systemClock } from '../../src/platform.ts'
import { opened } from './opened.ts'
import { costsOf } from '../costs-of.ts'

const MODEL = 'anthropic/claude-sonnet-5'
const TABLES = `These are the tide tables. ${'High water at six, low water at noon. '.repeat(200)}`
const MINUTE = 60_000

/** A conversation with Anthropic, whose cache is simulated. */
async function begun(t: TestContext, entry: object = {}) {
  let now = () => 0
  const cache = simulatedCache({ rule: simulatedRules.anthropic(1024), now: () => now() })
  const server = await scriptedProvider({ cache, answer: () => ({ text: 'The tide turns at noon. '.repeat(20) }) })
  t.after(() => server.close())
  const models = createModels({
    clock: systemClock,
    known,
    environment: { ANTHROPIC_API_KEY: 'sk-test-0123456789abcdef' },
    fetch: (input, init) => fetch(new Request(input, init).url.replace(/^https:\/\/[^/]+/, server.url), init),
    providers: { anthropic: { kind: 'anthropic', ...entry } },
  })
  const at = await opened(t, { models, settings: { model: MODEL } })
  now = () => Date.parse(at.clock.time())
  let session: string | undefined
  return {
    ...at,
    cache,
    models,
    server,
    get session() {
      return session ?? assert.fail()
    },
    async say(text: string, minutes: number) {
      await at.clock.advance(minutes * MINUTE)
      const turn = await (session === undefined ? at.say(TABLES) : at.say(text, { session }))
      session = turn.session
      return server.requests.at(-1)!.body
    },
  }
}

/** How long each mark of a request asks to be kept, in its order. */
function lives(body: Readonly<Record<string, unknown>>): readonly string[] {
  const found: string[] = []
  const visit = (value: unknown) => {
    const fields = fieldsOf(value)
    const { ttl } = fieldsOf(fields['cache_control'])
    if (fields['cache_control']) found.push(ttl === '1h' ? ttl : '5m')
    for (const each of Array.isArray(value) ? value : Object.values(fields)) visit(each)
  }
  for (const part of ['tools', 'system', 'messages']) visit(body[part])
  return found
}

test('where pauses of 5 to 60 minutes are usual, a prompt is kept for an hour, and no sooner', async (t) => {
  const at = await begun(t)
  const asked: (readonly string[])[] = []
  for (const minutes of [0, 1, 1, 20, 1, 20, 1, 20]) asked.push(lives(await at.say(`And after ${minutes}?`, minutes)))
  const all = (turns: readonly (readonly string[])[]) => [...new Set(turns.flat())]
  assert.deepEqual([all(asked.slice(0, 5)), all(asked.slice(5))], [['5m'], ['1h']])
  const last = at.cache.reports.at(-1)!
  assert.ok(last.cachedTokens / last.promptTokens > 0.9, 'twenty minutes later it is still read')
})

test('a prompt that is kept for longer is forecast, billed and added up at its price, also after a restart', async (t) => {
  const at = await begun(t)
  for (const minutes of [0, 20, 1, 20, 1, 20, 1, 1]) await at.say('And then?', minutes)
  const calls = await at.store.calls(at.session)
  const { facts } = await at.models.model(MODEL)
  const price = facts.price!
  assert.equal(price.cacheWriteLonger, 4)
  const bills = calls.map(({ manifest, outcome }) => {
    const { forecast } = manifest as SealedManifest
    return [forecast!.money!, callCost({ ...outcome!.usage!, outputTokens: 0 }, price)!] as const
  })
  const [expected, paid] = [0, 1].map((side) => bills.reduce((sum, bill) => sum + bill[side]!, 0))
  assert.ok(Math.abs(expected! / paid! - 1) < 0.02, `${expected} for ${paid}`)
  const wire = at.cache.reports.reduce(
    (sum, { promptTokens, cachedTokens, cacheWrittenTokens: written, longWrittenTokens: long }) =>
      sum + (promptTokens - cachedTokens - written) * 2 + cachedTokens * 0.2 + (written - long) * 2.5 + long * 4,
    0,
  )
  assert.ok(Math.abs(paid! * 1e6 - wire) < 1, `${paid! * 1e6} instead of ${wire}`)
  assert.ok(at.cache.reports.some(({ longWrittenTokens }) => longWrittenTokens > 0))
  const { total } = await costsOf(at.runtime).usage({ by: 'model' })
  const answers = at.cache.reports.reduce((sum, { outputTokens }) => sum + outputTokens * price.output, 0)
  assert.ok(Math.abs(total.money! * 1e6 - wire - answers) < 1)

  const { different, wires } = await at.runtime.replay(at.session)
  assert.deepEqual([different, wires?.different, wires?.identical], [[], [], calls.length])
  const again = await at.reopened()
  const before = at.cache.reports.length
  await again.clock.advance(20 * MINUTE)
  await again.say('And after the restart?', { session: at.session })
  const { manifest } = (await again.store.calls(at.session)).at(-1)!
  const report = at.cache.reports[before]!
  const forecast = (manifest as SealedManifest).forecast!
  assert.ok(report.cachedTokens / report.promptTokens > 0.9)
  assert.ok(Math.abs(forecast.cached - report.cachedTokens) < report.promptTokens * 0.05, 'known to the forecast')
})

test('it is cheaper than five minutes, whose writes cost less', async (t) => {
  const paid: number[] = []
  for (const official of [true, false]) {
    const at = await begun(t, official ? {} : { baseURL: 'https://messages.example/v1' })
    for (const minutes of [0, 20, 20, 20, 1, 20, 1, 20, 20, 1]) await at.say('And then?', minutes)
    const { total } = await costsOf(at.runtime).usage({ by: 'model' })
    paid.push(total.money!)
    const longer = at.server.requests.flatMap(({ body }) => lives(body)).includes('1h')
    assert.equal(longer, official, 'other addresses are not asked')
  }
  assert.ok(paid[0]! < paid[1]! * 0.75, paid.join(' and '))
})
