import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { providers as known } from '../src/capabilities/providers.ts'
import type { UIMessage } from 'ai'
import type OpenAI from 'openai'
import { tokenx } from '../src/context.ts'
import { createModels } from '../src/model.ts'
import { type ScriptedAnswer, type ScriptedRequest, scriptedProvider } from '../src/testing.ts'
import { keys, type RealGateway, realGateway, type Turn } from './end-to-end/gateway.ts'
import { opened, tool } from './runtime/opened.ts'
import { systemClock } from '../src/platform.ts'

/** Every model that a configuration can reach here, with the wire that its server hears. */
const doors = [
  ['ollama/scripted', 'ollama'],
  ['openai/scripted', 'openai-chat'],
  ['responses/scripted', 'openai-responses'],
  ['anthropic/scripted', 'anthropic'],
  ['rehearsal', undefined],
] as const

const parrot = ({ newest, wire }: ScriptedRequest): ScriptedAnswer => ({ text: `${wire} heard: ${newest}` })

function textOf(message: UIMessage): string {
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

test('every provider answers at every endpoint, and the ledger has the exact bytes that were sent', async (t) => {
  const gateway = await realGateway(t, { answer: parrot })
  const { say, chat, foreword, openai, provider, call } = gateway
  for (const [model, wire] of doors) {
    await t.test(model, async () => {
      const asked = wire === undefined ? '/say rehearsal heard: hello' : 'hello'
      const expected = `${wire ?? 'rehearsal'} heard: hello`
      const before = provider.requests.length

      const sent = await foreword('send', asked, '--model', model, '--json')
      assert.equal(sent.code, 0, sent.stdout + sent.stderr)
      const byCommand = JSON.parse(sent.stdout) as { text: string; calls: string[]; sessionId: string }
      const byCurl = await say(asked, { model })
      const inSession = await openai.chat.completions
        .create({ model, user: `somebody at ${model}`, messages: [{ role: 'user', content: asked }] })
        .withResponse()
      const stateless = await openai.chat.completions
        .create({ model, messages: [{ role: 'user', content: asked }] })
        .withResponse()
      const byChat = await chat(`chat with ${model}`, asked, model)

      assert.deepEqual(
        [
          byCommand.text,
          byCurl.text,
          inSession.data.choices[0]?.message.content,
          stateless.data.choices[0]?.message.content,
          textOf(byChat),
        ],
        Array(5).fill(expected),
      )
      const requests = provider.requests.slice(before)
      assert.ok(requests.every((request) => request.wire === wire))
      assert.equal(requests.length, wire === undefined ? 0 : 5)
      const calls = [
        byCommand.calls[0]!,
        byCurl.calls[0]!,
        inSession.response.headers.get('x-foreword-call')!,
        stateless.response.headers.get('x-foreword-call')!,
      ]
      for (const [index, id] of calls.entries()) {
        const record = await call(id)
        assert.equal(record.model, model)
        assert.equal(record.outcome?.wire?.sha256, requests[index]?.sha256)
        assert.equal(record.outcome?.wire?.bytes, requests[index]?.bytes.byteLength)
        const rebuilt = await foreword('request', id)
        assert.equal(rebuilt.code, 0, rebuilt.stderr)
      }
      assert.equal(
        (await foreword('replay', byCommand.sessionId)).stdout,
        `1 of 1 identical\n${wire === undefined ? '' : '1 of 1 bodies identical to what was sent\n'}`,
      )
    })
  }
})

test('a conversation continues at every endpoint, and streams', async (t) => {
  const gateway = await realGateway(t, {
    answer: ({ body }) => ({ text: `message ${(body['messages'] as readonly unknown[]).length}` }),
  })
  const first = await gateway.chat('one talk', 'first')
  const second = await gateway.chat('one talk', 'second')
  assert.deepEqual([textOf(first), textOf(second)], ['message 2', 'message 4'])
  const stream = await gateway.openai.chat.completions.create({
    model: 'foreword',
    messages: [{ role: 'user', content: 'hello' }],
    stream: true,
    stream_options: { include_usage: true },
  })
  let text = ''
  let usage: OpenAI.CompletionUsage | null | undefined
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    usage = chunk.usage ?? usage
  }
  assert.equal(text, 'message 1', 'nothing of ours is added')
  assert.ok(usage && usage.prompt_tokens > 0)
  const models = await gateway.openai.models.list()
  assert.deepEqual(
    ['foreword', 'ollama/scripted', 'rehearsal'].filter((id) => !models.data.some((model) => model.id === id)),
    [],
  )
})

test('the tools of a caller at /v1 are called by every provider, and their results go back', async (t) => {
  const gateway = await realGateway(t, {
    answer({ body }) {
      const text = JSON.stringify(body)
      if (text.includes('21 degrees')) return { text: 'It is 21 degrees.' }
      return { toolCalls: [{ id: 'toolu_1', name: 'weather', input: { city: 'Bonn' } }] }
    },
  })
  const tools: OpenAI.ChatCompletionTool[] = [
    {
      type: 'function',
      function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    },
  ]
  for (const [model, wire] of doors.slice(0, 4)) {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'How warm is it in Bonn?' }]
    const first = await gateway.openai.chat.completions.create({ model, messages, tools })
    const [asked] = first.choices[0]!.message.tool_calls ?? []
    assert.ok(asked?.type === 'function', model)
    assert.deepEqual([asked.function.name, JSON.parse(asked.function.arguments)], ['weather', { city: 'Bonn' }])
    assert.equal(first.choices[0]?.finish_reason, 'tool_calls')
    messages.push(first.choices[0].message, { role: 'tool', tool_call_id: asked.id, content: '21 degrees' })
    const second = await gateway.openai.chat.completions.create({ model, messages, tools })
    assert.equal(second.choices[0]?.message.content, 'It is 21 degrees.', model)
    const newest = gateway.provider.requests.at(-1)
    assert.deepEqual([newest?.wire, newest?.tools], [wire, ['weather']])
  }
  assert.deepEqual(await gateway.curl('/api/sessions'), { sessions: [] })
})

for (const [model, wire] of doors.slice(0, 4)) {
  test(`tools of the gateway go there and back over ${wire}, and every body that left is in the ledger`, async (t) => {
    const provider = await scriptedProvider({
      answer({ body }) {
        const text = JSON.stringify(body)
        if (text.includes('21 degrees')) return { reasoning: 'Easy now.', text: 'It is 21 degrees in Bonn.' }
        const toolCalls = ['Bonn', 'Ulm'].map((city, index) => ({
          id: `toolu_${index}`,
          name: 'weather',
          input: { city },
        }))
        return { reasoning: 'I should look.', signature: 'signed', text: 'Let me see.', toolCalls }
      },
    })
    t.after(() => provider.close())
    const weather = tool(
      'weather',
      async (input) => ({ ok: true, output: `21 degrees in ${(input as { city: string }).city}` }),
      { inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
    )
    const at = await opened(t, { models: modelsAt(provider.url), tools: [weather], settings: { model } })
    const { session, text, calls } = await at.say('How warm is it?')
    assert.equal(text, 'It is 21 degrees in Bonn.')
    assert.equal((await at.say('And now?', { session })).text, 'It is 21 degrees in Bonn.')
    const records = await at.store.calls(session)
    assert.deepEqual(
      records.map(({ outcome }) => outcome?.wire?.sha256),
      provider.requests.map(({ sha256 }) => sha256),
    )
    assert.equal(calls.length, 2)
    const told = provider.requests[1]!.bytes.toString()
    assert.ok(told.indexOf('21 degrees in Bonn') < told.indexOf('21 degrees in Ulm'))
    const wires = { identical: 3, different: [], unknown: [] }
    assert.deepEqual(await at.runtime.replay(session), { session, calls: 3, identical: 3, different: [], wires })
  })
}

function modelsAt(url: string) {
  return createModels({
    clock: systemClock,
    known,
    providers: {
      ollama: { kind: 'ollama', baseURL: url },
      openai: { kind: 'openai', baseURL: `${url}/v1`, apiKeyEnv: 'KEY' },
      responses: { kind: 'openai', baseURL: `${url}/v1`, apiKeyEnv: 'KEY', api: 'responses' },
      anthropic: { kind: 'anthropic', baseURL: url, apiKeyEnv: 'KEY' },
    },
    models: { 'anthropic/scripted': { reasoning: true, window: 100_000 }, 'responses/scripted': { reasoning: true } },
    environment: { KEY: 'a key' },
  })
}

test('the model is swapped by the configuration, by the session and by one request', async (t) => {
  const gateway = await realGateway(t, { answer: ({ wire }) => ({ text: wire }) }, { model: 'openai/scripted' })
  const { session, text } = await gateway.say('who?')
  assert.equal(text, 'openai-chat')
  const response = await fetch(`${gateway.url}/api/sessions/${session}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'anthropic/scripted' }),
  })
  assert.equal(response.status, 200)
  assert.equal((await gateway.say('who?', { session })).text, 'anthropic')
  assert.equal((await gateway.say('who?', { session, model: 'ollama/scripted' })).text, 'ollama')
  assert.equal((await gateway.say('who?', { session })).text, 'anthropic')
  assert.equal((await gateway.say('who?')).text, 'openai-chat')
  assert.equal(
    (await gateway.foreword('replay', session)).stdout,
    '4 of 4 identical\n4 of 4 bodies identical to what was sent\n',
  )
})

/** Asserts a clear failure whose input is still in the log. */
async function assertFailed({ curl }: RealGateway, turn: Turn, code: string, message: RegExp): Promise<void> {
  assert.equal(turn.outcome?.type, 'failed')
  assert.equal(turn.outcome?.code, code)
  assert.match(turn.outcome?.message ?? '', message)
  const { entries } = await curl<{ entries: { type: string; turn?: string }[] }>(
    `/api/sessions/${turn.session}/entries`,
  )
  assert.ok(entries.some((entry) => entry.type === 'input' && entry.turn === turn.turn))
}

test('a wrong key, a hanging provider and a missing model have error codes, and no error has a secret', async (t) => {
  const all = Object.values(keys)
  const gateway = await realGateway(t, {
    answer({ wire, newest, headers }) {
      if (newest.includes('never')) return { hangAfter: 0 }
      if (newest.includes('halfway')) return { text: 'one two three', hangAfter: 3 }
      if (newest.includes('hello')) return { text: 'Hello.' }
      const key = headers['authorization'] ?? headers['x-api-key']
      return {
        status: 401,
        body: { error: { type: 'authentication_error', message: `bad key ${wire}: ${String(key)}` } },
      }
    },
  })
  const { say, provider } = gateway
  await assertFailed(gateway, await say('open up', { model: 'openai/scripted' }), 'auth', /SCRIPTED_OPENAI_KEY|key/)
  await assertFailed(gateway, await say('open up', { model: 'anthropic/scripted' }), 'auth', /key/)
  assert.ok(provider.requests.some(({ headers }) => headers['authorization'] === `Bearer ${all[0]}`))
  assert.ok(provider.requests.some(({ headers }) => headers['x-api-key'] === all[1]))
  await assertFailed(gateway, await say('never', { model: 'hasty/scripted' }), 'timeout', /150 ms|0\.15|time/i)
  const halfway = await say('halfway', { model: 'hasty/scripted' })
  await assertFailed(gateway, halfway, 'timeout', /./)
  assert.match(halfway.text, /^one/)
  await assert.rejects(say('hello', { model: 'ollama/absent' }), /model-not-found.*ollama pull absent/s)
  await assert.rejects(say('hello', { model: 'nobody/nothing' }), /model-not-found.*Unknown provider/s)
  const { session } = await say('hello')
  assert.equal((await say('hello', { session })).text, 'Hello.')
  const failing = gateway.openai.chat.completions.create({
    model: 'openai/scripted',
    messages: [{ role: 'user', content: 'open up' }],
  })
  const refused = await failing.catch((error: unknown) => error)
  assert.ok(refused instanceof Error)

  const secrets = [...all, gateway.token]
  const seen = [
    gateway.printed(),
    String(refused),
    JSON.stringify(refused),
    JSON.stringify(await gateway.curl('/api/configuration')),
    JSON.stringify(await gateway.curl('/api/status')),
    JSON.stringify(await gateway.curl('/api/models')),
    JSON.stringify(await gateway.curl('/api/context')),
  ]
  const { sessions } = await gateway.curl<{ sessions: { id: string }[] }>('/api/sessions')
  assert.equal(sessions.length, 5)
  for (const { id } of sessions) seen.push((await gateway.foreword('sessions', 'export', id)).stdout)
  for (const words of [['config', 'get'], ['doctor'], ['models'], ['calls', session]]) {
    const { stdout, stderr } = await gateway.foreword(...words)
    seen.push(stdout, stderr)
  }
  for (const [index, text] of seen.entries()) {
    for (const secret of secrets) assert.ok(!text.includes(secret), `a secret in text ${index}: ${text.slice(0, 200)}`)
  }
  // What a provider says about a key is told, without the key.
  assert.ok(seen.some((text) => text.includes('bad key openai-chat')))
  for (const file of filesBelow(gateway.home)) {
    if (file === join(gateway.home, 'data', 'token')) continue
    const bytes = readFileSync(file)
    for (const secret of secrets) assert.ok(!bytes.includes(secret), `a secret in ${file}`)
  }
})

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

test('the account of the turn has the cache numbers of the provider', async (t) => {
  const gateway = await realGateway(t, {
    answer: () => ({ text: 'ok', usage: { promptTokens: 400, cachedTokens: 256, outputTokens: 2 } }),
  })
  const turn = await gateway.say('hello', { model: 'openai/scripted' })
  assert.deepEqual((turn as Turn & { totals: unknown }).totals, {
    calls: 1,
    promptTokensBilled: 400,
    cachedTokensBilled: 256,
    outputTokensBilled: 2,
  })
  const { manifest } = await gateway.call(turn.calls[0]!)
  assert.equal(manifest.counter.id, tokenx.id)
})
