import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import test, { type TestContext } from 'node:test'
import { callCost, movingMessages } from '../src/context.ts'
import { type ScriptedAnswer, scriptedProvider } from '../src/testing.ts'
import { simulatedCache, simulatedRules } from './kit/simulated-cache.ts'
import { forAll, outcomeOf } from './arbitrary/for-all.ts'
import { inputs } from './arbitrary/inputs.ts'
import { openedHome } from './home/opened-home.ts'

const REMINDER = 'Answer in verse, and name the harbour.'

/** A session with an agent that has a reminder, at a provider with marks. Each turn reads two files first. */
async function begun(t: TestContext, notes: 'index' | 'model' = 'index') {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-05T10:00:00.000Z') })
  const cache = simulatedCache({ rule: simulatedRules.anthropic(1024), now: () => Date.now() })
  let call = 0
  const provider = await scriptedProvider({
    cache,
    answer: (): ScriptedAnswer => {
      call += 1
      if (call % 3 === 0) return { text: `The boats are in. ${'The tide is high. '.repeat(20)}` }
      return { text: 'Let me see.', toolCalls: [{ name: 'read_file', input: { path: `files/${call % 4}.md` } }] }
    },
  })
  t.after(() => provider.close())
  const texts = Array.from({ length: 4 }, (_, n) => [`workspace/files/${n}.md`, `Station ${n}. `.repeat(80)] as const)
  const home = await openedHome(
    t,
    {
      'workspace/AGENTS.md': `# Rules\n\n${'- Ask before you write a file.\n'.repeat(100)}`,
      'tool-access.json': JSON.stringify({ global: { allowedTools: ['read_file'] } }),
      ...Object.fromEntries(texts),
    },
    {
      model: 'own/claude-sonnet-5',
      models: { 'own/claude-sonnet-5': { window: 40_000, tools: true } },
      providers: { own: { kind: 'anthropic', apiKeyEnv: 'OPENAI_API_KEY', baseURL: `${provider.url}/v1` } },
      context: { timeZone: 'UTC', notes },
    },
  )
  await home.accept()
  const { id: agent } = await home.runtime.agents.create({
    name: 'Poet',
    prompt: `You are a poet. ${'Answer in verse. '.repeat(200)}`,
    reminder: REMINDER,
  })
  const { id: session } = await home.runtime.newSession({ choices: { agent } })
  return { cache, provider, home, session }
}

test('no mark is behind a reminder, and each call reads all that the one before had in front of it', async (t) => {
  const { cache, provider, home, session } = await begun(t)
  for (let turn = 0; turn < 4; turn += 1) await home.say(`Part ${turn}. ${'Please. '.repeat(30)}`, session)
  assert.equal(provider.requests.length, 12)
  for (const { body } of provider.requests) {
    const messages = body['messages'] as readonly { readonly content: readonly Record<string, unknown>[] }[]
    const blocks = messages.flatMap(({ content }) => content)
    const at = blocks.findIndex(({ text }) => text === REMINDER)
    assert.equal(at, blocks.length - 1)
    assert.equal(blocks[at]!['cache_control'], undefined)
    assert.notEqual(blocks[at - 1]!['cache_control'], undefined)
  }
  const { reports } = cache
  const reminder = reports[0]!.promptTokens - reports[0]!.cachedTokens - reports[0]!.cacheWrittenTokens
  assert.ok(reminder > 0 && reminder < 20)
  for (const [index, { cachedTokens }] of reports.entries()) {
    if (index > 0) assert.equal(cachedTokens, reports[index - 1]!.promptTokens - reminder)
  }
  const { calls, identical, wires } = await home.runtime.replay(session)
  assert.deepEqual([identical, wires?.identical], [calls, calls])
})

test('the forecast knows where the mark is: with a reminder it is within 2 % of the bill', async (t) => {
  const { cache, home, session } = await begun(t)
  for (let turn = 0; turn < 6; turn += 1) await home.say(`Part ${turn}. ${'Please. '.repeat(30)}`, session)
  while ((await home.runtime.store.calls(session)).some(({ outcome }) => outcome === undefined)) await setImmediate()
  const price = { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10 }
  const bill = cache.reports.reduce((sum, report) => sum + callCost({ ...report, outputTokens: 0 }, price)!, 0)
  const calls = await home.runtime.store.calls(session)
  const forecast = calls.reduce(
    (sum, { manifest }) => sum + ((manifest as { forecast?: { money?: number } }).forecast?.money ?? Number.NaN),
    0,
  )
  assert.ok(Math.abs(forecast / bill - 1) < 0.02, `forecast ${forecast}, bill ${bill}`)
})

test('what moves is the message of the layers behind the input, and nothing else', () => {
  forAll(inputs(), (input) => {
    const { assembly } = outcomeOf(input)
    if (!assembly) return
    const { manifest, request, pieces } = assembly
    const moving = movingMessages(assembly)
    const isBehind = manifest.entries.some(({ slot, outcome }) => slot === 'after-input' && outcome !== 'omitted')
    assert.equal(moving, isBehind ? 1 : 0)
    const steady = request.messages.slice(0, request.messages.length - moving)
    const behind = pieces.filter(({ entry }) => manifest.entries[entry]!.slot === 'after-input')
    for (const { content } of behind) assert.ok(!steady.includes(content as (typeof steady)[number]))
  })
})
