import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { TurnOutcome } from '../../src/session.ts'
import type { ScriptedAnswer } from '../../src/testing.ts'
import { opened } from '../runtime/opened.ts'
import { modelsAt, providerFor, wires } from './providers.ts'

/** What one provider answered, through a whole runtime. `waits`: before each try that was made again, ms. */
async function answered(t: TestContext, id: string, ...script: readonly ScriptedAnswer[]) {
  const provider = await providerFor(t, { answer: (_, n) => script[Math.min(n, script.length) - 1]! })
  const waits: number[] = []
  const home = await opened(t, {
    models: modelsAt(provider.url),
    settings: { model: id, retryDelaysMs: [1, 2, 3] },
    sleep: async (milliseconds) => void waits.push(milliseconds),
  })
  return { ...(await home.say('hello')), waits, asked: provider.requests.length, home, requests: provider.requests }
}

function failed(outcome: TurnOutcome | undefined): Extract<TurnOutcome, { type: 'failed' }> {
  assert.ok(outcome?.type === 'failed', JSON.stringify(outcome))
  return outcome
}

/** Pieces of the wire until two or three of four words were said. */
function inTheMiddle(id: string): number {
  if (id.startsWith('ollama')) return 2
  return id.startsWith('openai') || id.startsWith('local') ? 3 : 5
}

const page = '<!doctype html><html><title>Sign in to continue</title></html>'
const document = { object: 'chat.completion', choices: [{ message: { content: 'Not streamed.' } }] }

// Ollama sends the arguments of a call as an object, whole or not at all.
for (const id of wires.filter((each) => !each.startsWith('ollama'))) {
  const cutCall = { toolCalls: [{ id: 'call_1', name: 'search', input: '{"q": "and then' }], finish: 'length' } as const
  test(`${id}: a model reads that its call was cut, and a second one ends the turn`, async (t) => {
    const adapts = await answered(t, id, cutCall, { text: 'Shorter.' })
    assert.deepEqual([adapts.outcome, adapts.asked], [{ type: 'completed' }, 2])
    assert.match(
      JSON.stringify(adapts.requests[1]),
      /the call was cut at the length limit of an answer.*Write less in one call/,
    )
    const repeats = await answered(t, id, cutCall, { ...cutCall, text: 'Again:' }, { text: 'Well.' })
    const outcome = { type: 'length', limit: 'tokens', cutCall: 'search' }
    assert.deepEqual([repeats.outcome, repeats.text, repeats.asked], [outcome, 'Again:', 2])
    assert.match(repeats.notice ?? '', /^A call of search was cut at its length limit/)
    await repeats.home.say('go on', { session: repeats.session })
    assert.match(
      JSON.stringify(repeats.requests[2]),
      /Again:\\n\[This answer was cut here, in the middle of a tool call/,
    )
  })
}

for (const id of wires) {
  test(`${id}: a call whose id and name are no texts is answered, and the next request can be made`, async (t) => {
    const odd = { toolCalls: [{ id: 7, name: { of: 'search' }, input: '{}' }] } as unknown as ScriptedAnswer
    const { outcome, text } = await answered(t, id, odd, { text: 'Well.' })
    assert.deepEqual([outcome, text], [{ type: 'completed' }, 'Well.'])
  })
}

for (const id of wires) {
  test(`${id}: an answer that was cut at its limit is \`length\``, async (t) => {
    const { outcome, text } = await answered(t, id, { text: 'and then', finish: 'length' })
    assert.deepEqual([outcome, text], [{ type: 'length', limit: 'tokens' }, 'and then'])
  })

  test(`${id}: an answer without words is \`empty\``, async (t) => {
    const { outcome, text } = await answered(t, id, {})
    assert.deepEqual([outcome, text], [{ type: 'empty' }, ''])
  })

  test(`${id}: an answer that content rules stopped is \`content-filter\``, async (t) => {
    if (id.startsWith('ollama')) return t.skip('Ollama has no such end')
    const { outcome, text } = await answered(t, id, { text: 'You take', finish: 'content-filter' })
    assert.deepEqual([outcome, text], [{ type: 'content-filter' }, 'You take'])
  })

  test(`${id}: a page in place of an answer is reported with its type and its first words, and requested once`, async (t) => {
    const headers = { 'content-type': 'text/html; charset=utf-8' }
    const { outcome, asked } = await answered(t, id, { status: 200, body: page, headers })
    const { code, message } = failed(outcome)
    assert.equal(code, 'unexpected-answer')
    assert.match(
      message,
      /answered with text\/html where a stream was expected\. It said: "Sign in to continue"\. Check that providers\./,
    )
    assert.doesNotMatch(message, /cannot be reached/)
    assert.equal(asked, 1)
  })

  test(`${id}: one document in place of a stream is reported with its type and its first words`, async (t) => {
    const { code, message } = failed((await answered(t, id, { status: 200, body: document })).outcome)
    assert.equal(code, 'unexpected-answer')
    assert.match(message, /application\/json where a stream was expected.*Not streamed/)
  })

  test(`${id}: a failure with a success status is reported with its own message`, async (t) => {
    const body = { error: { message: 'prompt is too long: 9000 tokens > 8192 maximum' } }
    assert.equal(failed((await answered(t, id, { status: 200, body })).outcome).code, 'context-overflow')
    const { message } = failed((await answered(t, id, { status: 200, body: { error: { message: 'no GPU' } } })).outcome)
    assert.match(message, /no GPU/)
  })

  test(`${id}: an empty body is reported as empty`, async (t) => {
    const { code, message } = failed((await answered(t, id, { status: 200, body: '' })).outcome)
    assert.equal(code, 'unexpected-answer')
    assert.match(message, /an empty body \(application\/json\) where a stream was expected/)
  })

  test(`${id}: a wait that the provider asks for is kept, in seconds and until a date, with 429 and 503`, async (t) => {
    for (const status of [429, 503]) {
      const seconds = await answered(t, id, { status, headers: { 'retry-after': '7' } }, { text: 'ok' })
      assert.deepEqual([seconds.text, seconds.waits], ['ok', [7_000]])
      // A date has whole seconds.
      const until = new Date(Date.now() + 20_000).toUTCString()
      const date = await answered(t, id, { status, headers: { 'retry-after': until } }, { text: 'ok' })
      assert.equal(date.text, 'ok')
      assert.equal(date.waits.length, 1)
      assert.ok(date.waits[0]! > 3 && date.waits[0]! <= 20_000, String(date.waits))
    }
  })

  test(`${id}: a server that is down and comes up again is waited for`, async (t) => {
    const before = await providerFor(t, {})
    await before.close()
    const port = Number(new URL(before.url).port)
    const told: string[] = []
    const home = await opened(t, {
      models: modelsAt(before.url),
      settings: { model: id, retryDelaysMs: [1, 1, 1] },
      async sleep() {
        told.push('down')
        if (told.length === 2) await providerFor(t, { port, answer: () => ({ text: 'Up again.' }) })
      },
    })
    const { text, outcome } = await home.say('hello')
    assert.deepEqual([text, outcome, told.length], ['Up again.', { type: 'completed' }, 2])
  })

  test(`${id}: a cut before the first word is tried again, one behind it is not, and its words are kept`, async (t) => {
    const early = await answered(t, id, { cutAfter: 0 }, { text: 'ok' })
    assert.deepEqual([early.text, early.asked], ['ok', 2])
    const late = await answered(t, id, { text: 'one two three four', cutAfter: inTheMiddle(id) }, {})
    const { code, message } = failed(late.outcome)
    assert.deepEqual([code, late.asked, late.text.startsWith('one two')], ['network', 1, true])
    assert.match(message, /^The answer of \S+ broke off before its end\..* is kept\. Say `go on` to continue it/)
    assert.doesNotMatch(message, /cannot be reached|Failed to process/)
  })

  test(`${id}: an unreachable server is reported as unreachable`, async (t) => {
    const gone = await providerFor(t, {})
    await gone.close()
    const home = await opened(t, { models: modelsAt(gone.url), settings: { model: id, retryDelaysMs: [] } })
    const { message } = failed((await home.say('hello')).outcome)
    assert.match(message, /cannot be reached\. Check that it runs.*ECONNREFUSED|does not answer at http/)
    assert.doesNotMatch(message, /broke off/)
  })

  test(`${id}: a retry delay that is longer than a turn waits is reported with its length`, async (t) => {
    const script = { status: 429, headers: { 'retry-after': '600' } }
    const { outcome, waits } = await answered(t, id, script)
    assert.deepEqual([failed(outcome).code, waits], ['rate-limit', []])
    assert.match(failed(outcome).message, /is limiting requests; try again in 10 min\./)
  })

  test(`${id}: a stream that is closed in good form before its end is no whole answer`, async (t) => {
    const { outcome, text } = await answered(t, id, { text: 'one two three four', endAfter: inTheMiddle(id) })
    assert.deepEqual([failed(outcome).code, text.startsWith('one two')], ['network', true])
    assert.match(failed(outcome).message, /^The answer of \S+ broke off before its end\./)
  })
}

for (const id of wires) {
  test(`${id}: reasoning without words is \`reasoning-only\`, and says where its limit was the cause`, async (t) => {
    assert.deepEqual((await answered(t, id, { reasoning: 'I wonder.' })).outcome, { type: 'reasoning-only' })
    const { outcome, notice } = await answered(t, id, { reasoning: 'I wonder', finish: 'length' })
    assert.deepEqual(outcome, { type: 'reasoning-only', limit: 'tokens' })
    assert.match(notice ?? '', /Raise context\.reserve/)
  })

  test(`${id}: a conversation continues after an answer that was only reasoning`, async (t) => {
    const { home, session } = await answered(t, id, { reasoning: 'I wonder.', signature: 's' }, { text: 'Here I am.' })
    assert.deepEqual((await home.say('hello?', { session })).text, 'Here I am.')
  })
}
