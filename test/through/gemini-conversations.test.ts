import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { NOTE_LEAD } from '../../src/foreign/cut/cut-plan.ts'
import type { CallRecord } from '../../src/session.ts'
import { recordedCalls, send, startGateway, type TestGateway } from './gateway.ts'
import { startVendor } from './vendor.ts'

interface Part {
  readonly text?: string
  readonly functionCall?: { readonly name: string; readonly args: object }
  readonly functionResponse?: { readonly name: string; readonly response: object }
  readonly thoughtSignature?: string
}

interface Content {
  readonly role: string
  readonly parts: readonly Part[]
}

/** What Gemini refuses of a conversation: results that are not those of the calls right before them, and calls that are not signed. */
function fault(contents: readonly Content[]): string | undefined {
  const words = contents.findLastIndex(({ role, parts }) => role === 'user' && parts.some(({ text }) => text))
  for (const [at, { role, parts }] of contents.entries()) {
    const calls = parts.filter(({ functionCall }) => functionCall)
    const results = parts.filter(({ functionResponse }) => functionResponse)
    const before = contents[at - 1]?.parts.filter(({ functionCall }) => functionCall) ?? []
    if (results.length !== before.length)
      return 'the number of function response parts is not that of function call parts'
    if (calls.length > 0 && contents[at - 1]?.role !== 'user') return 'a function call turn comes after a user turn'
    if (at > words && role === 'model' && calls.length > 0 && calls[0]!.thoughtSignature === undefined)
      return 'Function call is missing a thought_signature'
  }
  return contents[0]?.role === 'user' ? undefined : 'the first content is not of the user'
}

const contentsIn = ({ body }: { readonly body: Buffer }) =>
  (JSON.parse(body.toString()) as { readonly contents: readonly Content[] }).contents

const usageMetadata = { promptTokenCount: 900, candidatesTokenCount: 3, totalTokenCount: 903 }

async function openGateway(t: TestContext, { through = {}, configuration = {} } = {}) {
  const vendor = await startVendor(t, (request, outgoing) => {
    if (request.method === 'GET') return void outgoing.writeHead(404).end()
    const isCache = request.url.endsWith('/cachedContents')
    const wrong = isCache ? undefined : fault(contentsIn(request))
    const cached = /"cachedContent"/.test(request.body.toString()) ? { cachedContentTokenCount: 40_000 } : {}
    const answer = isCache
      ? { name: 'cachedContents/rivers', model: 'models/gemini-cut', usageMetadata: { totalTokenCount: 40_000 } }
      : {
          candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Done.' }] }, finishReason: 'STOP' }],
          usageMetadata: {
            ...usageMetadata,
            ...cached,
            promptTokenCount: 'cachedContentTokenCount' in cached ? 40_100 : 900,
          },
        }
    outgoing.writeHead(wrong === undefined ? 200 : 400, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify(wrong === undefined ? answer : { error: { code: 400, message: wrong } }))
  })
  const providers = { google: { kind: 'openai-compatible', baseURL: `${vendor.url}/v1beta/openai` } }
  const models = {
    'google/gemini-cut': { window: 4000, maxOutput: 1000 },
    'google/gemini-cached': { window: 100_000, maxOutput: 1000, price: { input: 1, cachedInput: 0.1, output: 1 } },
  }
  return { vendor, gateway: await startGateway(t, { providers, through, configuration: { models, ...configuration } }) }
}

/** So many rounds of a tool after the words of a person: calls and results without ids. */
function rounds(count: number): readonly Content[] {
  return [
    { role: 'user', parts: [{ text: 'Mend the gate.' }] },
    ...Array.from({ length: count }, (_, at): readonly Content[] => [
      {
        role: 'model',
        parts: [
          { functionCall: { name: 'read_file', args: { path: `src/gate-${at}.ts` } }, thoughtSignature: `c2ln${at}` },
          { functionCall: { name: 'read_file', args: { path: `src/hinge-${at}.ts` } } },
        ],
      },
      {
        role: 'user',
        parts: ['gate', 'hinge'].map((name) => ({
          functionResponse: { name: 'read_file', response: { output: `${at}: the ${name} is here. `.repeat(20) } },
        })),
      },
    ]).flat(),
  ]
}

function post(gateway: TestGateway, path: string, body: object) {
  return send(`${gateway.url}/${path}`, {
    headers: ['x-foreword-token', gateway.token, 'x-goog-api-key', 'own', 'user-agent', 'google-genai-sdk/1.9'],
    body: JSON.stringify(body),
  })
}

const say = (gateway: TestGateway, contents: readonly Content[]) =>
  post(gateway, 'assemble/google/v1beta/models/gemini-cut:generateContent', {
    systemInstruction: { parts: [{ text: 'You help.' }] },
    contents,
  })

test('a conversation of Gemini’s format is cut as its vendor accepts it, and between two cuts each call begins with what the last one sent, after a restart too', async (t) => {
  const { vendor, gateway } = await openGateway(t)
  await say(gateway, rounds(2))
  for (const count of [20, 21]) assert.equal((await say(gateway, rounds(count))).status, 200)
  await recordedCalls(gateway)
  const again = await gateway.restart()
  assert.equal((await say(again, rounds(22))).status, 200)
  const [small, ...sent] = vendor.received.map(contentsIn)
  assert.deepEqual(small, rounds(2))
  const texts = sent.map((contents) => contents.map((each) => JSON.stringify(each)))
  for (const [at, contents] of sent.entries()) {
    const whole = rounds(20 + at)
    assert.ok(contents.length < whole.length)
    assert.deepEqual([contents[0], contents.at(-1)], [whole[0], whole.at(-1)])
    assert.equal(texts[at]!.filter((text) => text.includes(NOTE_LEAD)).length, 1)
    if (at > 0) assert.deepEqual(texts[at]!.slice(0, texts[at - 1]!.length), texts[at - 1])
  }
  const calls = await recordedCalls(again)
  assert.deepEqual(
    calls.map(({ foreign, manifest }) => [foreign?.assembled?.state, 'cutRecord' in manifest]),
    [
      ['fits', false],
      ['cut', true],
      ['cut', false],
      ['cut', false],
    ],
  )
  const { manifest } = calls[1]!
  assert.ok(manifest.used <= manifest.budget.available, `${manifest.used} of ${manifest.budget.available}`)
  assert.equal(new Set(calls.map(({ session }) => session)).size, 1)
  const { calls: count, wires } = await again.runtime.replay(calls[0]!.session!)
  assert.deepEqual([count, wires?.identical], [4, 4])
})

const keptIn = ({ manifest }: CallRecord) => manifest.entries.find(({ layer }) => layer === 'kept-by-provider')

test('what a cache of Gemini’s holds is known before the call: it is an entry with its tokens, a budget holds it, and no cut leaves it out', async (t) => {
  const budgets = [{ limit: { usd: 0.095 }, per: 'day' }]
  const { vendor, gateway } = await openGateway(t, { configuration: { budgets }, through: { overBudget: 'refuse' } })
  const question = (text: string) => [{ role: 'user', parts: [{ text }] }]
  const ask = (own: TestGateway, path: string, cachedContent: string, text = 'Which is the longest?') =>
    post(own, `${path}/google/v1beta/models/gemini-cached:generateContent`, { cachedContent, contents: question(text) })
  await post(gateway, 'through/google/v1beta/cachedContents', {
    model: 'models/gemini-cached',
    contents: question('Rivers. '.repeat(2_000)),
    ttl: '300s',
  })
  assert.equal((await ask(gateway, 'assemble', 'cachedContents/rivers')).status, 200)
  const restarted = await gateway.restart()
  assert.equal((await ask(restarted, 'through', 'cachedContents/rivers')).status, 200)
  // What is left of the budget is less than the cache costs where it has to be read in full, which a start expects.
  const again = await restarted.restart()
  assert.equal((await ask(again, 'through', 'cachedContents/rivers')).status, 402)
  assert.equal(vendor.received.filter(({ method }) => method === 'POST').length, 3)
  const [made, first, second] = (await recordedCalls(again)) as [CallRecord, CallRecord, CallRecord]
  assert.deepEqual(
    [made.foreign?.kind, made.model, made.outcome?.usage?.promptTokens],
    ['other', 'google/gemini-cached', 40_000],
  )
  assert.deepEqual(
    [keptIn(first)?.tokens, keptIn(first)?.id, first.foreign?.assembled?.state],
    [40_000, 'cachedContents/rivers', 'kept-elsewhere'],
  )
  assert.equal(keptIn(second)?.tokens, 40_000)
  assert.ok(first.manifest.used > 40_000)
  assert.notEqual(made.session, first.session)
})

test('a cache that was made elsewhere is known from the second call on', async (t) => {
  const { gateway } = await openGateway(t)
  for (const text of ['Which is the longest?', 'And the shortest?'])
    await post(gateway, 'through/google/v1beta/models/gemini-cached:generateContent', {
      cachedContent: 'cachedContents/elsewhere',
      contents: [{ role: 'user', parts: [{ text }] }],
    }).then(() => recordedCalls(gateway))
  const [first, second] = await recordedCalls(gateway)
  assert.deepEqual([keptIn(first!), keptIn(second!)?.tokens], [undefined, 40_000])
})
