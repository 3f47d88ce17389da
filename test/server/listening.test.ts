import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import OpenAI, { AuthenticationError, NotFoundError } from 'openai'
import { RuntimeError, type CompletionEvent } from '../../src/capability.ts'
import { type Runtime } from '../home/features.ts'
import { listen, type ListeningServer, type ServerOptions } from '../../src/server.ts'
import { createTestServer as createServer } from '../home/test-server.ts'
import { observeFirstReader } from './first-reader.ts'
import { echo, scriptedRuntime, type Script } from './scripted-runtime.ts'
import { type Accepted, eventsOf, TOKEN } from './served.ts'

async function listening(
  t: TestContext,
  runtime: Runtime,
  options: Partial<ServerOptions> = {},
): Promise<ListeningServer & { client: OpenAI }> {
  const server = createServer(runtime, { token: TOKEN, bind: '127.0.0.1', version: '0.1.0', ...options })
  const opened = await listen(server, { port: 0, bind: '127.0.0.1' })
  t.after(() => opened.close({ graceMs: 100 }))
  return { ...opened, client: new OpenAI({ apiKey: TOKEN, baseURL: `${opened.url}/v1`, maxRetries: 0 }) }
}

const authorization = `Bearer ${TOKEN}`
const hello = [{ role: 'user' as const, content: 'hello' }]

async function say(url: string, text = 'hello'): Promise<Accepted> {
  const response = await fetch(`${url}/api/messages`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  })
  assert.equal(response.status, 202)
  return (await response.json()) as Accepted
}

test('the official openai client gets an answer, and the manifest it came from', async (t) => {
  const { client } = await listening(t, scriptedRuntime())
  const { data, response } = await client.chat.completions.create({ model: 'foreword', messages: hello }).withResponse()
  assert.equal(data.choices[0]?.message.content, 'Hello')
  assert.equal(data.usage?.total_tokens, 120)
  assert.equal(response.headers.get('x-foreword-call'), 'call-own')
})

test('the official openai client streams', async (t) => {
  const { client } = await listening(t, scriptedRuntime())
  const stream = await client.chat.completions.create({
    model: 'foreword',
    messages: hello,
    user: 'anna',
    stream: true,
    stream_options: { include_usage: true },
  })
  let text = ''
  let total: number | undefined
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    total = chunk.usage?.total_tokens ?? total
  }
  assert.equal(text, 'You said: hello')
  assert.equal(total, 120)
})

test('the official openai client runs its own tools', async (t) => {
  const usage = { cachedTokens: undefined, cacheWrittenTokens: undefined, reasoningTokens: undefined }
  const complete = async function* ({ messages }: { messages: readonly unknown[] }): AsyncGenerator<CompletionEvent> {
    yield { type: 'call-start', call: `call-${messages.length}`, model: 'rehearsal' }
    const asks = messages.length === 1
    if (asks) yield { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { at: 'sky' } }
    else yield { type: 'text-delta', text: 'It is blue.' }
    yield {
      type: 'finish',
      reason: asks ? 'tool-calls' : 'stop',
      usage: { ...usage, promptTokens: 1, outputTokens: 1 },
    }
  }
  const runtime = scriptedRuntime({ complete })
  const { client } = await listening(t, runtime)
  const looked: unknown[] = []
  const runner = client.chat.completions.runTools({
    model: 'foreword',
    messages: hello,
    stream: true,
    tools: [
      {
        type: 'function',
        function: {
          name: 'look',
          description: 'Looks.',
          parameters: { type: 'object', properties: { at: { type: 'string' } } },
          parse: JSON.parse,
          function: (input: object) => {
            looked.push(input)
            return 'blue'
          },
        },
      },
    ],
  })
  assert.equal(await runner.finalContent(), 'It is blue.')
  assert.deepEqual(looked, [{ at: 'sky' }])
  assert.deepEqual(runtime.completed[1]?.messages.at(-1), {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'text', value: 'blue' } }],
  })
})

test('the official openai client lists models, and understands refusals and failures in mid-stream', async (t) => {
  const complete = async function* (): AsyncGenerator<CompletionEvent> {
    yield { type: 'call-start', call: 'c', model: 'm' }
    yield { type: 'text-delta', text: 'Hel' }
    throw new RuntimeError('network', 'The stream broke off.')
  }
  const { client, url } = await listening(t, scriptedRuntime({ complete }))
  const ids: string[] = []
  for await (const { id } of client.models.list()) ids.push(id)
  assert.deepEqual(ids, ['foreword', 'rehearsal'])
  const stranger = new OpenAI({ apiKey: 'wrong', baseURL: `${url}/v1`, maxRetries: 0 })
  await assert.rejects(async () => stranger.models.list(), AuthenticationError)
  const nowhere = client.chat.completions.create(
    { model: 'foreword', messages: hello },
    { headers: { 'x-foreword-session': 'none' } },
  )
  await assert.rejects(nowhere, NotFoundError)
  const stream = await client.chat.completions.create({ model: 'foreword', messages: hello, stream: true })
  let text = ''
  await assert.rejects(async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  }, /The stream broke off/)
  assert.equal(text, 'Hel')
})

test('events arrive while the turn runs, not at its end', async (t) => {
  const go = Promise.withResolvers<void>()
  const script: Script = async (turn) => {
    turn.append({ type: 'turn-start', turn: turn.turn })
    turn.text('first')
    await go.promise
    turn.append({ type: 'turn-end', turn: turn.turn, outcome: { type: 'completed' } })
  }
  const { url } = await listening(t, scriptedRuntime({ script }))
  const { session, turn } = await say(url)
  const response = await fetch(`${url}/api/sessions/${session}/events?turn=${turn}`, { headers: { authorization } })
  let text = ''
  for await (const bytes of response.body!) {
    text += new TextDecoder().decode(bytes)
    if (text.includes('"first"')) go.resolve()
  }
  assert.match(text, /turn-end/)
})

test('a reader with a full socket is disconnected, the turn is not delayed, and the rest can be read later', async (t) => {
  const script: Script = ({ turn, append, text }) => {
    append({ type: 'turn-start', turn })
    for (let piece = 0; piece < 400; piece++) text('x'.repeat(50_000))
    append({ type: 'turn-end', turn, outcome: { type: 'completed' } })
  }
  const { runtime, reading, released } = observeFirstReader(scriptedRuntime({ script }))
  const { url, port } = await listening(t, runtime, { streams: { bufferBytes: 100_000, stallMs: 100 } })
  const { session, turn } = await say(url)
  const path = `/api/sessions/${session}/events?turn=${turn}`
  const slow = connect(port, '127.0.0.1')
  slow.pause()
  slow.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`)
  await reading
  const waited = await fetch(`${url}/api/sessions/${session}/turns/${turn}?wait=10000`, { headers: { authorization } })
  assert.deepEqual(((await waited.json()) as { outcome: unknown }).outcome, { type: 'completed' })
  let bytes = 0
  await released
  slow.on('data', (data: Buffer) => (bytes += data.length))
  slow.on('error', () => {})
  slow.resume()
  await once(slow, 'close')
  assert.ok(bytes < 20_000_000, 'the stream was cut off before its end')
  // A quick reader has time enough elsewhere: on a busy machine all of them are slow.
  const patient = await listening(t, runtime)
  const whole = await eventsOf(await fetch(`${patient.url}${path}`, { headers: { authorization } }))
  assert.equal(whole.length, 403)
})

test('closing ends streams, finishes what is being answered, and lets the port go', async (t) => {
  const { url, port, close } = await listening(t, scriptedRuntime())
  const { session } = await say(url)
  const stream = await fetch(`${url}/api/sessions/${session}/events`, { headers: { authorization } })
  const text = stream.text()
  await close()
  assert.match(await text, /id: 1\n/)
  await assert.rejects(fetch(`${url}/health`))
  const again = await listen(createServer(scriptedRuntime(), { bind: '127.0.0.1', version: '0.1.0' }), {
    port,
    bind: '127.0.0.1',
  })
  await again.close()
})

test('what is asked while the last answers go out is refused with when to come back, and those are whole', async (t) => {
  const go = Promise.withResolvers<void>()
  const began = Promise.withResolvers<void>()
  const twice = Promise.withResolvers<void>()
  let calls = 0
  const complete = async function* (): AsyncGenerator<CompletionEvent> {
    yield { type: 'call-start', call: 'c', model: 'm' }
    calls += 1
    began.resolve()
    if (calls === 2) twice.resolve()
    await go.promise
    yield { type: 'text-delta', text: 'Whole.' }
    const usage = { cachedTokens: undefined, cacheWrittenTokens: undefined, reasoningTokens: undefined }
    yield { type: 'finish', reason: 'stop', usage: { ...usage, promptTokens: 1, outputTokens: 1 } }
  }
  const { url, client, close } = await listening(t, scriptedRuntime({ complete }))
  const answer = client.chat.completions.create({ model: 'foreword', messages: hello })
  await began.promise
  // An answer that is streamed has begun with its first word.
  const streamed = fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'foreword', stream: true, messages: hello }),
  }).then((response) => response.text())
  await twice.promise
  const gone = close({ graceMs: 60_000 })
  const refused = await fetch(`${url}/api/sessions`, { headers: { authorization } })
  assert.deepEqual(
    [refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')],
    [503, '5', 'close'],
  )
  const refusal = (await refused.json()) as { error: { code: string } }
  assert.equal(refusal.error.code, 'closing')
  const ready = await fetch(`${url}/health/ready`)
  assert.deepEqual(
    [ready.status, ready.headers.get('retry-after'), ((await ready.json()) as typeof refusal).error.code],
    [503, '5', 'closing'],
  )
  assert.equal((await fetch(`${url}/health/live`)).status, 200)
  const openai = await fetch(`${url}/v1/models`, { headers: { authorization } })
  assert.deepEqual(
    [openai.status, ((await openai.json()) as { error: { type: string } }).error.type],
    [503, 'server_error'],
  )
  go.resolve()
  assert.equal((await answer).choices[0]?.message.content, 'Whole.')
  assert.match(await streamed, /"content":"Whole\."[^]*"finish_reason":"stop"[^]*\[DONE\]/)
  await gone
  await assert.rejects(fetch(`${url}/health`))
})

test('while the rest of a gateway ends, a connection that a web server keeps is refused in order, and a new one by the port', async (t) => {
  const { url, close } = await listening(t, scriptedRuntime())
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const ask = () =>
    new Promise((resolve, reject) => {
      const asked = httpRequest(`${url}/health`, { agent }, (response) => {
        const { statusCode: status, headers } = response
        const answer = { status, isKept: asked.reusedSocket, connection: headers.connection }
        response.resume().once('end', () => resolve(answer))
      })
      asked.once('error', reject).end()
    })
  assert.deepEqual(await ask(), { status: 200, isKept: false, connection: 'keep-alive' })
  const [rest, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const gone = close({
    meanwhile: () => {
      begun.resolve()
      return rest.promise
    },
  })
  await begun.promise
  assert.deepEqual(await ask(), { status: 503, isKept: true, connection: 'close' })
  await assert.rejects(ask(), { code: 'ECONNREFUSED' })
  rest.resolve()
  await gone
})

test('an answer that takes longer than a gateway that stops can wait ends with an error, and not as if it were whole', async (t) => {
  const complete = async function* (): AsyncGenerator<CompletionEvent> {
    yield { type: 'call-start', call: 'c', model: 'm' }
    yield { type: 'text-delta', text: 'Half' }
    await new Promise(() => {})
  }
  const script: Script = ({ turn, append, text: write }) => {
    append({ type: 'turn-start', turn }, { type: 'assembly', turn, call: 'c' })
    write('Half')
  }
  const { url, client, close } = await listening(t, scriptedRuntime({ complete, script }))
  const stream = await client.chat.completions.create({ model: 'foreword', messages: hello, stream: true })
  const chat = await fetch(`${url}/api/chat`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'c', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'hello' }] }] }),
  })
  let text = ''
  let gone: Promise<void> | undefined
  await assert.rejects(async () => {
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      gone ??= close({ graceMs: 1 })
    }
  }, /The gateway is stopping/)
  assert.equal(text, 'Half')
  assert.match(await chat.text(), /"type":"error","errorText":"The gateway is stopping/)
  await gone
})

test('a port that is taken is said plainly, and an open address without a token is refused', async (t) => {
  const { port } = await listening(t, scriptedRuntime())
  const server = createServer(scriptedRuntime(), { bind: '127.0.0.1', version: '0.1.0' })
  await assert.rejects(listen(server, { port, bind: '127.0.0.1' }), /Another program listens.*FOREWORD_GATEWAY_PORT/s)
  await assert.rejects(listen(server, { port: 0, bind: '0.0.0.0' }), /without a token/)
})

test('a gateway that listens on every address names the one of this machine', async (t) => {
  const server = createServer(scriptedRuntime(), { bind: '0.0.0.0', token: 'x'.repeat(24), version: '0.1.0' })
  const { url, port, close } = await listen(server, { port: 0, bind: '0.0.0.0' })
  t.after(() => close({ graceMs: 0 }))
  assert.equal(url, `http://127.0.0.1:${port}`)
  assert.equal((await fetch(`${url}/health`)).status, 200)
})

test('a large body is refused over the wire too, with or without its length', async (t) => {
  const { port } = await listening(t, scriptedRuntime(), { maxBodyBytes: 1000 })
  for (const headers of [{ 'content-length': '100000' }, { 'transfer-encoding': 'chunked' }]) {
    const sent = httpRequest({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/messages',
      headers: { authorization, 'content-type': 'application/json', ...headers },
    })
    sent.on('error', () => {})
    sent.end(Buffer.alloc(100_000, 32))
    const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }]
    assert.equal(response.statusCode, 413)
    response.resume()
  }
})

test('a Host that is no name of this gateway, or no name at all, is refused and is no failure', async (t) => {
  const { port } = await listening(t, scriptedRuntime())
  for (const host of ['127.999.999.999', '127.1.1.256:80', 'localhost:99999', '[::1', 'evil.example']) {
    const sent = httpRequest({ port, host: '127.0.0.1', path: '/health', headers: { host } })
    sent.end()
    const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }]
    assert.ok([400, 403].includes(response.statusCode), `${host}: ${response.statusCode}`)
    response.resume()
  }
})

test('invalid HTTP is rejected and does no harm', async (t) => {
  const { url, port } = await listening(t, scriptedRuntime())
  for (const text of [
    'GET /health HTTP/1.1\r\n\r\n',
    'GET /health HTTP/1.1\r\nHost: a b\r\n\r\n',
    'GET http://evil.example/health HTTP/1.1\r\nHost: evil.example\r\n\r\n',
    'nonsense\r\n\r\n',
  ]) {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.on('data', (data: Buffer) => {
      answer += data.toString()
      socket.end()
    })
    socket.write(text)
    await once(socket, 'close')
    assert.match(answer, /^HTTP\/1\.1 40[03] /, text)
  }
  assert.equal((await fetch(`${url}/health`)).status, 200)
})

test('HEAD of a stream is its headers', async (t) => {
  const { url } = await listening(t, scriptedRuntime({ script: echo }))
  const { session } = await say(url)
  const head = await fetch(`${url}/api/sessions/${session}/events`, { method: 'HEAD', headers: { authorization } })
  assert.equal(head.status, 200)
  assert.match(head.headers.get('content-type') ?? '', /event-stream/)
})

test('a client that goes away in the middle of its request is no failure of the gateway', async (t) => {
  const failures: string[] = []
  const { url, close } = await listening(t, scriptedRuntime(), {
    log: { error: (_, text) => failures.push(text) },
  })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  const lines = [
    'POST /api/messages HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: ${authorization}`,
    'content-length: 90000',
  ]
  socket.write(`${lines.join('\r\n')}\r\ncontent-type: application/json\r\n\r\n{"text":"he`)
  // Its answer comes only once the beginning of the other one is being read.
  await say(url)
  socket.destroy()
  await close({ graceMs: 5_000 })
  assert.deepEqual(failures, [])
})
