import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import OpenAI, { APIError } from 'openai'
import { builtIn } from '../../src/foreword.ts'
import { loadConfiguration } from '../../src/runtime.ts'
import { openRuntime } from '../home/features.ts'
import { listen } from '../../src/server.ts'
import { createTestServer as createServer } from '../home/test-server.ts'
import { type Accepted, parseEvents, TOKEN } from './served.ts'

const authorization = `Bearer ${TOKEN}`

/** A whole gateway on a home, with the rehearsal model behind it. */
async function gateway(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'foreword-server-'))
  const { configuration } = await loadConfiguration({
    home,
    capabilities: builtIn,
    environment: { FOREWORD_MODEL: 'rehearsal' },
  })
  const runtime = await openRuntime({ capabilities: builtIn, home, configuration, environment: {}, version: '0.1.0' })
  const server = createServer(runtime, { token: TOKEN, bind: '127.0.0.1', version: '0.1.0' })
  const { url, close } = await listen(server, { port: 0, bind: '127.0.0.1' })
  t.after(async () => {
    await close({ graceMs: 500 })
    await runtime.close()
    rmSync(home, { recursive: true, force: true })
  })
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, { headers: { authorization, ...headers } })
  const json = async <Answer>(path: string) => (await (await get(path)).json()) as Answer
  const say = async (text: string) => {
    const response = await fetch(`${url}/api/messages`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    })
    return (await response.json()) as Accepted
  }
  return { url, get, json, say, client: new OpenAI({ apiKey: TOKEN, baseURL: `${url}/v1`, maxRetries: 0 }) }
}

const user = (content: string) => [{ role: 'user' as const, content }]

test('a message is answered, and every word the model read can be looked at', async (t) => {
  const { get, json, say } = await gateway(t)
  const { session, turn } = await say('/say It is a fine day.')
  const view = await json<{ text: string; outcome: unknown; calls: string[] }>(
    `/api/sessions/${session}/turns/${turn}?wait=10000`,
  )
  assert.deepEqual(view.outcome, { type: 'completed' })
  assert.equal(view.text, 'It is a fine day.')
  const outline = await (await get(`/api/calls/${view.calls[0]}/manifest?format=outline`)).text()
  assert.match(outline, /^window \d+.*\n(?:.*\n)*input .* included/)
  assert.equal((await json<{ identical: boolean }>(`/api/calls/${view.calls[0]}/request`)).identical, true)
  const replay = await json<{ calls: number; identical: number }>(`/api/sessions/${session}/replay`)
  assert.deepEqual([replay.calls, replay.identical], [1, 1])
})

test('a stream that is cut after any event resumes after it with the same events', async (t) => {
  const { get, say } = await gateway(t)
  const { session, turn } = await say('/say One two three four.')
  const path = `/api/sessions/${session}/events?turn=${turn}`
  const live = parseEvents(await (await get(path)).text())
  const settled = parseEvents(await (await get(path)).text())
  assert.equal(settled.at(-1)?.data.entry?.type, 'turn-end')
  const entries = (events: typeof live) => events.filter(({ event }) => event === 'entry').map(({ data }) => data.entry)
  assert.deepEqual(entries(live), entries(settled))
  for (const [at, { id }] of settled.slice(0, -1).entries()) {
    const rest = parseEvents(await (await get(path, { 'last-event-id': id! })).text())
    assert.deepEqual(entries(rest), entries(settled.slice(at + 1)))
  }
})

test('the openai client talks in a session and without one', async (t) => {
  const { client, json } = await gateway(t)
  const once = await client.chat.completions.create({ model: 'foreword', messages: user('/say Hello.') }).withResponse()
  assert.equal(once.data.choices[0]?.message.content, 'Hello.')
  assert.ok((once.data.usage?.prompt_tokens ?? 0) > 0)
  const call = once.response.headers.get('x-foreword-call')
  assert.equal((await json<{ id: string }>(`/api/calls/${call}`)).id, call)

  const kept = await client.chat.completions
    .create({ model: 'rehearsal', messages: user('/say Kept.'), user: 'anna', stream: true })
    .withResponse()
  let text = ''
  for await (const chunk of kept.data) text += chunk.choices[0]?.delta.content ?? ''
  assert.equal(text, 'Kept.')
  const session = kept.response.headers.get('x-foreword-session')
  const { turns } = await json<{ turns: { state: string }[] }>(`/api/sessions/${session}/turns`)
  assert.deepEqual(
    turns.map(({ state }) => state),
    ['completed'],
  )
})

test("the caller's own tools come back to it as calls", async (t) => {
  const { client } = await gateway(t)
  const { choices } = await client.chat.completions.create({
    model: 'foreword',
    messages: user('/call look {"at":"sky"}'),
    tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
  })
  assert.equal(choices[0]?.finish_reason, 'tool_calls')
  const [call] = choices[0].message.tool_calls ?? []
  assert.deepEqual(call?.type === 'function' && JSON.parse(call.function.arguments), { at: 'sky' })
})

test("useChat's transport reads an answer, and finds it again", async (t) => {
  const { url } = await gateway(t)
  const transport = new DefaultChatTransport<UIMessage>({ api: `${url}/api/chat`, headers: { authorization } })
  const stream = await transport.sendMessages({
    chatId: 'chat',
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: undefined,
    messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: '/say Good morning.' }] }],
  })
  let message: UIMessage | undefined
  for await (const state of readUIMessageStream({ stream })) message = state
  const texts = message!.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  assert.deepEqual(texts, ['Good morning.'])
  assert.equal(await transport.reconnectToStream({ chatId: 'chat' }), null)
})

test('a provider that fails is an error with its code, and the input stays in the log', async (t) => {
  const { client, json, say } = await gateway(t)
  await assert.rejects(
    client.chat.completions.create({ model: 'foreword', messages: user('/fail auth') }),
    (error: unknown) => error instanceof APIError && error.status === 502 && error.code === 'auth',
  )
  const { session, turn } = await say('/fail auth')
  const view = await json<{ outcome: { type: string; code: string } }>(
    `/api/sessions/${session}/turns/${turn}?wait=10000`,
  )
  assert.deepEqual([view.outcome.type, view.outcome.code], ['failed', 'auth'])
  const { entries } = await json<{ entries: { type: string }[] }>(`/api/sessions/${session}/entries`)
  assert.ok(entries.some(({ type }) => type === 'input'))
})

test('/new with words begins a new session with these words, and a repeated request finds it again', async (t) => {
  const { client, json } = await gateway(t)
  const ask = (content: string, key?: string) =>
    client.chat.completions.create(
      { model: 'foreword', user: 'anna', messages: user(content) },
      key === undefined ? {} : { headers: { 'idempotency-key': key } },
    )
  await ask('/say one')
  const answers = [await ask('/new /say two', 'k1'), await ask('/new /say two', 'k1')]
  assert.deepEqual(
    answers.map(({ choices }) => choices[0]!.message.content),
    ['two', 'two'],
  )
  const { sessions } = await json<{ sessions: { turns: number }[] }>('/api/sessions')
  assert.deepEqual(
    sessions.map(({ turns }) => turns),
    [1, 1],
  )
})

test('/new begins a new session for a user, keeps the old one, and the next request holds that one message', async (t) => {
  const { client, json } = await gateway(t)
  const ask = (content: string) =>
    client.chat.completions.create({ model: 'foreword', user: 'anna', messages: user(content) })
  await ask('/say one')

  const renewed = await ask('  /NEW ')
  const after = await ask('hello again')

  assert.match(renewed.choices[0]!.message.content ?? '', /^A new session begins\./)
  const { sessions } = await json<{ sessions: { id: string; turns: number }[] }>('/api/sessions')
  assert.deepEqual(
    sessions.map(({ turns }) => turns),
    [1, 1],
  )
  const [newest] = sessions
  const { calls } = await json<{ calls: { id: string }[] }>(`/api/sessions/${newest!.id}/calls`)
  const { request } = await json<{ request: { system: string; messages: unknown[] } }>(
    `/api/calls/${calls[0]!.id}/request`,
  )
  assert.deepEqual(request.messages, user('hello again'))
  assert.match(request.system, /^You are Foreword/)
  assert.ok(after.choices[0]!.message.content)
})
