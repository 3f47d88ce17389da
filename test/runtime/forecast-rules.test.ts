import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { providers as known } from '../../src/capabilities/providers.ts'
import { tokenx, callCost } from '../../src/context.ts'
import { createModels } from '../../src/model.ts'
import { systemClock } from '../../src/platform.ts'
import type { SealedManifest } from '../../src/runtime/calls/seal.ts'
import type { Usage } from '../../src/session.ts'
import { type ScriptedAnswer, scriptedProvider } from '../../src/testing.ts'
import { simulatedCache, type SimulatedRule, simulatedRules } from '../kit/simulated-cache.ts'
import { opened, tool } from './opened.ts'

/** How a vendor bills prompts, by its row in a catalog unless the configuration has facts. */
interface Billed {
  readonly name: string
  readonly rule: SimulatedRule
  /** `PROVIDER/MODEL`. */
  readonly model: string
  readonly facts?: object
  /** Asserts that what the rule is about has happened. */
  met?(usages: readonly Usage[]): void
}

const steps = (minimumTokens: number, step: number): SimulatedRule => ({
  ...simulatedRules.openai,
  minimumTokens,
  step,
})
const price = { input: 2, cachedInput: 0.2, output: 12 }

const providers = {
  openai: { kind: 'openai' },
  anthropic: { kind: 'anthropic' },
  google: { kind: 'openai-compatible', baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai' },
  deepseek: { kind: 'openai-compatible', baseURL: 'https://api.deepseek.com' },
  other: { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:9/v1' },
}

const reads = (usages: readonly Usage[]) => usages.some(({ cachedTokens = 0 }) => cachedTokens > 0)

const bills: readonly Billed[] = [
  {
    name: 'automatic, as OpenAI before GPT-5.6',
    rule: simulatedRules.openai,
    model: 'openai/gpt-5.4',
    met: (usages) => assert.ok(reads(usages)),
  },
  {
    name: 'marks with billed writes, as OpenAI from GPT-5.6 on',
    rule: simulatedRules.openaiMarks,
    model: 'openai/gpt-6.2-sol',
    met: (usages) => assert.ok(usages.every(({ cacheWrittenTokens = 0 }) => cacheWrittenTokens > 0) && reads(usages)),
  },
  {
    name: 'marks with two lives, as Anthropic',
    rule: simulatedRules.anthropic(1024),
    model: 'anthropic/claude-sonnet-5',
    met(usages) {
      for (const isLonger of [false, true]) {
        assert.ok(usages.some(({ cacheWrittenLongerTokens = 0 }) => cacheWrittenLongerTokens > 0 === isLonger))
      }
    },
  },
  {
    name: 'implicit, as Google',
    rule: steps(4096, 1),
    model: 'google/gemini-3.1-pro-preview',
    met: (usages) => assert.ok(reads(usages)),
  },
  {
    name: 'units of 64 tokens, as DeepSeek',
    rule: { ...steps(64, 64), lifetimeSeconds: 3600 },
    model: 'deepseek/deepseek-v4-pro',
    met: (usages) => assert.ok(reads(usages)),
  },
  {
    name: 'a tier above 9,000 tokens',
    rule: steps(1024, 128),
    model: 'other/tier',
    facts: {
      cache: { kind: 'automatic', minimumTokens: 1024, step: 128, lifetimeSeconds: 300 },
      price: { ...price, above: { tokens: 9_000, price: { input: 4, cachedInput: 0.4, output: 18 } } },
    },
    met(usages) {
      for (const isAbove of [false, true])
        assert.ok(usages.some(({ promptTokens }) => promptTokens! > 9_000 === isAbove))
    },
  },
  { name: 'no cache', rule: { type: 'slots', slots: 0 }, model: 'other/none', facts: { price } },
]

const prose = (n: number, times: number) =>
  Array.from({ length: times }, (_, index) => `In part ${n}.${index} the ferry leaves before the tide turns. `).join('')

/** Pauses before turns, minutes: some outlast the short life of a cache, and one the long one. */
const PAUSES: Readonly<Record<number, number>> = { 3: 8, 4: 9, 5: 10, 6: 8, 8: 70, 9: 7, 10: 9, 11: 8, 13: 20 }

/** Talks, with a call of a tool in most turns, and returns what was forecast, used and paid. */
async function billed(t: TestContext, { rule, model, facts }: Billed) {
  let now = () => 0
  const cache = simulatedCache({ rule, now: () => now(), tokens: tokenx.text })
  let call = 0
  const server = await scriptedProvider({
    cache,
    models: [],
    answer: ({ body }): ScriptedAnswer => {
      call += 1
      const said = JSON.stringify(body['messages'] ?? body['input'])
      const hasRead = said.slice(said.lastIndexOf('Turn ')).includes('tides_at')
      if (hasRead || call % 3 === 0) return { text: prose(call, 8) }
      return { text: 'Let me see.', toolCalls: [{ name: 'tides_at', input: {} }] }
    },
  })
  t.after(() => server.close())
  const models = createModels({
    clock: systemClock,
    known,
    environment: { ANTHROPIC_API_KEY: 'sk-test-0123456789abcdef', OPENAI_API_KEY: 'sk-test-0123456789abcdef' },
    fetch: (input, init) => {
      const { pathname } = new URL(new Request(input, init).url)
      return fetch(`${server.url}/v1${pathname.slice(pathname.search(/\/(?:chat|responses|messages|models)/))}`, init)
    },
    providers,
    models: facts ? { [model]: { window: 200_000, tools: true, ...facts } } : {},
  })
  const tides = tool('tides_at', async () => ({ ok: true, output: prose(call, 30) }))
  const at = await opened(t, { models, tools: [tides], settings: { model, notes: 'index' } })
  now = () => Date.parse(at.clock.time())
  let session: string | undefined
  for (let turn = 1; turn <= 14; turn += 1) {
    await at.clock.advance((PAUSES[turn] ?? 0.5) * 60_000)
    const words = prose(turn, turn === 1 ? 320 : 4)
    session = (await at.say(`Turn ${turn}. ${words}`, session === undefined ? {} : { session })).session
    await at.runtime.idle(session)
  }
  const own = (await models.model(model)).facts.price ?? assert.fail(model)
  return (await at.store.calls(session!)).map(({ manifest, outcome }) => {
    const usage = outcome?.usage ?? assert.fail()
    const { money } = (manifest as SealedManifest).forecast!
    return { usage, money: [money!, callCost({ ...usage, outputTokens: 0 }, own)!] as const }
  })
}

for (const bill of bills) {
  test(`the forecast is within 1 % of the bill and within 5 % of each call: ${bill.name}`, async (t) => {
    const calls = await billed(t, bill)
    const [expected, paid] = [0, 1].map((side) => calls.reduce((sum, { money }) => sum + money[side]!, 0))
    const each = calls.map(({ money }) => money[0] / money[1] - 1)
    t.diagnostic(`${calls.length} calls: ${((expected! / paid! - 1) * 100).toFixed(2)} %`)
    assert.ok(Math.abs(expected! / paid! - 1) <= 0.01)
    assert.ok(Math.max(...each.map(Math.abs)) <= 0.05)
    bill.met?.(calls.map(({ usage }) => usage))
  })
}
