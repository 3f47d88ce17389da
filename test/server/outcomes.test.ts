import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { scriptedModel, type ScriptedReply } from '../../src/testing.ts'
import { opened } from '../runtime/opened.ts'
import { served } from './served.ts'

const endings: readonly [ScriptedReply, { outcome: string; chat: string; openai: string }][] = [
  [{ text: 'Whole.' }, { outcome: 'completed', chat: 'stop', openai: 'stop' }],
  [
    { text: 'Half', finish: 'length' },
    { outcome: 'length', chat: 'length', openai: 'length' },
  ],
  [{}, { outcome: 'empty', chat: 'other', openai: 'stop' }],
  [{ reasoning: 'Hm.' }, { outcome: 'reasoning-only', chat: 'other', openai: 'stop' }],
  [
    { reasoning: 'Hm.', finish: 'length' },
    { outcome: 'reasoning-only', chat: 'length', openai: 'length' },
  ],
  [
    { text: 'You', finish: 'content-filter' },
    { outcome: 'content-filter', chat: 'content-filter', openai: 'content_filter' },
  ],
]

/** A server over a runtime whose model says this. */
async function saying(t: TestContext, reply: ScriptedReply) {
  const { runtime } = await opened(t, { model: scriptedModel({ answer: () => reply }) })
  return served(runtime)
}

interface View {
  readonly outcome: { readonly type: string }
  readonly notice?: string
}

for (const [reply, { outcome, chat, openai }] of endings) {
  test(`${JSON.stringify(reply)} ends as ${outcome}, over every endpoint`, async (t) => {
    const { request, json } = await saying(t, reply)
    const { session, turn } = await json('/api/messages', { body: { text: 'hello' } })
    const view = await json<View>(`/api/sessions/${session}/turns/${turn}?wait=10000`)
    assert.deepEqual([view.outcome.type, 'notice' in view], [outcome, outcome !== 'completed'])

    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }
    const stream = await (await request('/api/chat', { body: { id: 'chat-1', messages: [message] } })).text()
    assert.match(stream, new RegExp(`"finishReason":"${chat}"`))
    assert.equal(stream.includes('"type":"data-foreword-notice"'), outcome !== 'completed')

    const messages = [{ role: 'user', content: 'hello' }]
    for (const user of [undefined, 'ada']) {
      const body = { messages, ...(user === undefined ? {} : { user }) }
      const answered = await json<{ choices: { finish_reason: string }[] }>('/v1/chat/completions', { body })
      assert.equal(answered.choices[0]?.finish_reason, openai)
    }
  })
}

test('a warning about a kept answer is in the view of its turn and in the event stream', async (t) => {
  const { request, json } = await saying(t, { text: 'ok', usage: { promptTokens: 300, outputTokens: 1 } })
  const text = 'word '.repeat(1500)
  const { session, turn } = await json('/api/messages', { body: { text } })
  const view = await json<View & { readonly warnings: readonly { readonly code: string }[] }>(
    `/api/sessions/${session}/turns/${turn}?wait=10000`,
  )
  assert.deepEqual([view.outcome.type, view.warnings.map(({ code }) => code)], ['completed', ['prompt-read-short']])
  const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'word '.repeat(3000) }] }
  const stream = await (await request('/api/chat', { body: { id: 'chat-1', messages: [message] } })).text()
  assert.match(stream, /"type":"data-foreword-notice","data":\{"type":"warning","code":"prompt-read-short"/)
})

test('a page is shown that a call waits for its provider', async (t) => {
  const model = scriptedModel({ answer: (_, n) => (n === 1 ? { fail: 'network' } : { text: 'Back.' }) })
  const { runtime } = await opened(t, { model })
  const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }
  const stream = await (
    await served(runtime).request('/api/chat', { body: { id: 'chat-1', messages: [message] } })
  ).text()
  assert.match(stream, /"type":"data-foreword-retry","data":\{"call":"call_1","attempt":2,"waitMs":1,"code":"network",/)
  assert.match(stream, /"delta":"Back\."/)
})
