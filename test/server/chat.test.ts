import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { echo, failing, scriptedRuntime, type Script, withApproval, withTool } from './scripted-runtime.ts'
import { type Served, served, TOKEN } from './served.ts'

/** The transport that `useChat` uses when nothing else is said, talking to a server in memory. */
function transport({ server }: Served): DefaultChatTransport<UIMessage> {
  return new DefaultChatTransport({
    api: 'http://127.0.0.1:4141/api/chat',
    headers: { authorization: `Bearer ${TOKEN}` },
    fetch: (url, init) => server.fetch(new Request(url, init)),
  })
}

const said = (text: string, id = 'message-1'): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] })

function send(doors: Served, messages: UIMessage[], options: { abortSignal?: AbortSignal; chatId?: string } = {}) {
  return transport(doors).sendMessages({
    trigger: 'submit-message',
    chatId: options.chatId ?? 'chat-1',
    messageId: undefined,
    messages,
    abortSignal: options.abortSignal,
  })
}

interface Read {
  readonly message: UIMessage
  readonly chunks: readonly UIMessageChunk[]
  readonly errors: readonly unknown[]
}

async function read(stream: ReadableStream<UIMessageChunk>): Promise<Read> {
  const chunks: UIMessageChunk[] = []
  const errors: unknown[] = []
  let message: UIMessage | undefined
  const seen = new TransformStream<UIMessageChunk, UIMessageChunk>({
    transform(chunk, controller) {
      chunks.push(chunk)
      controller.enqueue(chunk)
    },
  })
  const onError = (error: unknown) => void errors.push(error)
  for await (const state of readUIMessageStream({ stream: stream.pipeThrough(seen), onError })) message = state
  // As a page keeps it: without fields that hold nothing.
  return { message: JSON.parse(JSON.stringify(message)) as UIMessage, chunks, errors }
}

test('useChat reads an answer as it is streamed', async () => {
  const runtime = scriptedRuntime()
  const { message, chunks } = await read(await send(served(runtime), [said('hello')]))
  const { session, turn } = message.metadata as { session: string; turn: string }
  assert.deepEqual(message, {
    id: turn,
    role: 'assistant',
    metadata: {
      session,
      turn,
      calls: [`call-${turn}`],
      totals: { calls: 1, promptTokensBilled: 100, cachedTokensBilled: 40, outputTokensBilled: 20 },
      outcome: 'completed',
    },
    parts: [{ type: 'step-start' }, { type: 'text', text: 'You said: hello', state: 'done' }],
  })
  const data = chunks.find(({ type }) => type === 'data-foreword-call')
  assert.deepEqual(data, {
    type: 'data-foreword-call',
    data: { call: `call-${turn}`, session, turn },
    transient: true,
  })
  assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'stop', messageMetadata: message.metadata })
})

test('the chat id is a session, the last message its input, and the message id its key', async () => {
  const runtime = scriptedRuntime()
  const doors = served(runtime)
  const first = await read(await send(doors, [said('one', 'm1')]))
  const again = await read(await send(doors, [said('one', 'm1')]))
  assert.equal(again.message.id, first.message.id)
  assert.deepEqual(again.message.parts, first.message.parts)
  const second = await read(await send(doors, [said('one', 'm1'), first.message, said('two', 'm2')]))
  const sessionOf = ({ message }: Read) => (message.metadata as { session: string }).session
  assert.equal(sessionOf(second), sessionOf(first))
  assert.notEqual(sessionOf(await read(await send(doors, [said('x', 'm3')], { chatId: 'chat-2' }))), sessionOf(first))
  const byId = await read(await send(doors, [said('three', 'm4')], { chatId: sessionOf(first) }))
  assert.equal(sessionOf(byId), sessionOf(first))
  assert.deepEqual(
    runtime.submitted.slice(0, 3).map(({ text, idempotencyKey }) => [text, idempotencyKey]),
    [
      ['one', 'chat:m1'],
      ['one', 'chat:m1'],
      ['two', 'chat:m2'],
    ],
  )
})

test('reasoning, tools and their failures are parts of the message, each call a step', async () => {
  const { message } = await read(await send(served(scriptedRuntime({ script: withTool })), [said('look')]))
  const tool = { type: 'dynamic-tool', providerExecuted: true }
  assert.deepEqual(message.parts, [
    { type: 'step-start' },
    { type: 'reasoning', id: `${message.id}-1`, text: 'I should look.', state: 'done' },
    { type: 'text', text: 'Let me look.', state: 'done' },
    {
      ...tool,
      toolName: 'look',
      toolCallId: 'tool-1',
      state: 'output-available',
      input: { at: 'sky' },
      output: 'blue',
    },
    {
      ...tool,
      toolName: 'touch',
      toolCallId: 'tool-2',
      state: 'output-error',
      input: {},
      errorText: 'there is no tool named touch',
    },
    { type: 'step-start' },
    { type: 'text', text: 'It is blue.', state: 'done' },
  ])
})

/** Reads a turn that asks, decides on the way, and answers the tool's part of each state that the page went through. */
async function decided(decision: Record<string, unknown>) {
  const doors = served(scriptedRuntime({ script: withApproval }))
  const states: { state: string; approval: { id: string; descriptor: { digest: string } }; errorText?: string }[] = []
  for await (const message of readUIMessageStream({ stream: await send(doors, [said('write')]) })) {
    const part = message.parts.find(({ type }) => type === 'dynamic-tool') as (typeof states)[number] | undefined
    if (part === undefined || part.state === states.at(-1)?.state) continue
    states.push(structuredClone(part))
    if (part.state !== 'approval-requested') continue
    const { id, descriptor } = part.approval
    await doors.json(`/api/approvals/${id}`, { body: { ...decision, digest: descriptor.digest } })
  }
  return states
}

test('the web app shows a pending approval and continues after the decision', async () => {
  const states = await decided({ decision: 'approve' })
  assert.deepEqual(
    states.map(({ state }) => state),
    ['input-available', 'approval-requested', 'approval-responded', 'output-available'],
  )
  assert.deepEqual(states[1]!.approval, {
    id: 'approval-1',
    requestReason: 'tools.write_file.approval=ask',
    descriptor: {
      tool: 'write_file',
      input: { path: 'a.txt', text: 'two' },
      folder: '/work',
      diff: '-one\n+two\n',
      digest: 'digest-of-approval-1',
    },
  })
})

test('a denied call is denied on the page, with the reason', async () => {
  const states = await decided({ decision: 'deny', reason: 'not there' })
  assert.deepEqual(
    states.map(({ state }) => state),
    ['input-available', 'approval-requested', 'approval-responded', 'output-denied'],
  )
  const { approval } = states.at(-1)!
  assert.deepEqual(approval, { ...states[1]!.approval, approved: false, reason: 'not there' })
})

test('words that were taken back are taken back on the page', async () => {
  const script: Script = ({ turn, append, text }) => {
    append({ type: 'turn-start', turn }, { type: 'assembly', turn, call: 'c' })
    text('Wrong')
    const tokens = { counter: 'tokenx@2', full: 1, least: 1 }
    append(
      { type: 'message', turn, call: 'c', message: { role: 'assistant', content: 'Right' }, tokens },
      { type: 'turn-end', turn, outcome: { type: 'completed' } },
    )
  }
  const { message } = await read(await send(served(scriptedRuntime({ script })), [said('x')]))
  const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  assert.deepEqual(texts, ['Right'])
})

test('a failed turn is an error with its sentence', async () => {
  const doors = served(scriptedRuntime({ script: failing('auth', 'The key of the provider is invalid.') }))
  const { errors, chunks } = await read(await send(doors, [said('x')]))
  assert.match(String(errors[0]), /The key of the provider is invalid/)
  assert.ok(chunks.some((chunk) => chunk.type === 'finish' && chunk.finishReason === 'error'))
})

test('a cancelled turn ends as aborted', async () => {
  const script: Script = ({ turn, append, text }) => {
    append({ type: 'turn-start', turn }, { type: 'assembly', turn, call: 'c' })
    text('Well')
  }
  const doors = served(scriptedRuntime({ script }))
  const reading = read(await send(doors, [said('x')]))
  const [{ id: session }] = (await doors.json<{ sessions: [{ id: string }] }>('/api/sessions')).sessions
  const { turns } = await doors.json<{ turns: [{ turn: string }] }>(`/api/sessions/${session}/turns`)
  await doors.request(`/api/sessions/${session}/turns/${turns[0].turn}/cancel`, { method: 'POST' })
  assert.deepEqual((await reading).chunks.at(-1), { type: 'abort', reason: 'cancelled' })
})

test('a page that is closed loses nothing: it takes the running turn up again from its beginning', async () => {
  const go = Promise.withResolvers<void>()
  const script: Script = async (turn) => {
    await go.promise
    await echo(turn)
  }
  const doors = served(scriptedRuntime({ script }))
  const resume = () => transport(doors).reconnectToStream({ chatId: 'chat-1' })
  assert.equal(await resume(), null)
  const page = new AbortController()
  const stream = await send(doors, [said('hello')], { abortSignal: page.signal })
  page.abort()
  await stream.cancel()
  const resumed = await resume()
  go.resolve()
  const { message } = await read(resumed!)
  assert.deepEqual(message.parts.at(-1), { type: 'text', text: 'You said: hello', state: 'done' })
  assert.equal(await resume(), null)
})

test('what cannot be answered is refused with a sentence', async () => {
  const doors = served(scriptedRuntime())
  const refused = async (body: Record<string, unknown>) => {
    const response = await doors.request('/api/chat', { body: { id: 'c', messages: [said('x')], ...body } })
    assert.equal(response.status, 400)
    return ((await response.json()) as { error: { message: string } }).error.message
  }
  assert.match(
    await refused({ messages: [{ ...said('x'), role: 'assistant' }] }),
    /last message must have the role user/,
  )
  assert.match(await refused({ messages: [said(' ')] }), /is empty/)
  assert.match(
    await refused({ messages: [{ ...said('x'), parts: [{ type: 'file', url: 'x' }] }] }),
    /the file is not a URL/,
  )
  const page = { type: 'file', mediaType: 'image/png', url: 'https://example.com/cat.png' }
  assert.match(await refused({ messages: [{ ...said('x'), parts: [page] }] }), /addresses are not fetched/)
  assert.match(await refused({ messages: [{ ...said('x'), parts: [{ type: 'data-x' }] }] }), /part of type data-x/)
})
