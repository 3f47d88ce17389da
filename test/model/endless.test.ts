import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { RuntimeSettings } from '../../src/runtime/settings.ts'
import type { ScriptedAnswer } from '../../src/testing.ts'
import { opened, tool } from '../runtime/opened.ts'
import { modelsAt, providerFor, wires } from './providers.ts'

/** Tokens; the bound of an answer is eight characters for each. */
const reserve = 1_000
const bound = 8 * reserve

/** What a runtime makes of a provider that does not end. Resolves only where the answer was cut. */
async function cutAnswer(t: TestContext, id: string, answer: ScriptedAnswer, settings: Partial<RuntimeSettings> = {}) {
  const provider = await providerFor(t, { answer: () => answer })
  let runs = 0
  const once = tool('search', async () => {
    runs += 1
    return { ok: true, output: 'found' }
  })
  const home = await opened(t, {
    models: modelsAt(provider.url),
    tools: [once],
    settings: { model: id, reserve, ...settings },
  })
  const { session, turn } = await home.runtime.submit({ text: 'hello' })
  let heard = 0
  for await (const event of home.runtime.events(session, { turn })) if ('text' in event) heard += event.text.length
  const view = await home.ended({ session, turn })
  return { ...view, heard, runs, asked: provider.requests.length, home, provider }
}

for (const id of wires) {
  test(`${id}: words without end are cut, and what was said is kept`, async (t) => {
    const { outcome, text, notice, heard, asked, provider } = await cutAnswer(t, id, {
      text: 'again ',
      forever: 'again',
    })
    assert.deepEqual([outcome, text.length, asked], [{ type: 'length', limit: 'characters' }, heard, 1])
    assertFull(heard)
    assert.match(notice ?? '', /did not end/)
    await leaves(provider.requests[0]!)
  })

  test(`${id}: calls without end are cut, and none of them runs`, async (t) => {
    const toolCalls = [{ id: 'call_1', name: 'search', input: { q: 'again and again' } }]
    const { outcome, runs, notice } = await cutAnswer(t, id, { toolCalls, forever: 'again' })
    assert.deepEqual([outcome, runs], [{ type: 'empty', limit: 'characters', cutCall: 'search' }, 0])
    assert.match(
      notice ?? '',
      /^There is no answer: a call of search was cut because it did not end.* It did not run\./,
    )
  })

  test(`${id}: one event of 18 MB is not read to its end, and what was said before it is kept`, async (t) => {
    const { outcome, text } = await cutAnswer(t, id, { text: ['Well, ', 'x'.repeat(18_000_000)] })
    assert.deepEqual([outcome, text], [{ type: 'length', limit: 'event' }, 'Well, '])
  })

  test(`${id}: a failure with a very long message is reported with its beginning`, async (t) => {
    const body = `It went wrong. ${'x'.repeat(3_000_000)}`
    const { outcome } = await cutAnswer(t, id, { status: 400, body })
    assert.ok(outcome?.type === 'failed' && outcome.code === 'bad-request', JSON.stringify(outcome)?.slice(0, 300))
    assert.match(outcome.message, /It went wrong/)
    assert.ok(outcome.message.length < 1_000)
  })
}

for (const id of ['ollama/scripted', 'local/scripted']) {
  test(`${id}: an answer that takes too long is cut, and what was said is kept`, async (t) => {
    const answer = { text: 'One two three four', hangAfter: id.startsWith('ollama') ? 2 : 5 }
    const { outcome, text } = await cutAnswer(t, id, answer, { maxAnswerMs: 3_000 })
    assert.deepEqual([outcome, text.startsWith('One two')], [{ type: 'length', limit: 'time' }, true])
  })
}

for (const id of wires) {
  test(`${id}: endless reasoning is cut, and the conversation continues`, async (t) => {
    const { outcome, heard, home, session } = await cutAnswer(t, id, { reasoning: 'hmm ', forever: 'hmm' })
    assert.deepEqual(outcome, { type: 'reasoning-only', limit: 'characters' })
    assertFull(heard)
    assert.deepEqual((await home.runtime.replay(session)).different, [])
  })
}

test('a cut never leaves half a character', async (t) => {
  const { text } = await cutAnswer(t, 'local/scripted', { text: 'x😀', forever: '😀' })
  assert.ok(text.isWellFormed())
  assertFull(text.length)
})

/** Parts that are no words count a little, too. */
function assertFull(characters: number): void {
  assert.ok(characters > bound - 20 && characters <= bound, String(characters))
}

/** The server notices a moment later. A client that never leaves runs into the time limit of the test. */
async function leaves(request: { readonly cancelled: boolean }): Promise<void> {
  while (!request.cancelled) await pause(5)
}
