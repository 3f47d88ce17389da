import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompletionEvent } from '../../src/capability.ts'
import { scriptedRuntime } from './scripted-runtime.ts'
import { eventsOf, served } from './served.ts'
import { UNREPORTED_USAGE } from '../../src/wire.ts'

const path = '/v1/responses'

interface Refusal {
  readonly error: { readonly code: string; readonly param: string | null; readonly message: string }
}

interface Answered {
  readonly id: string
  readonly status: string
  readonly usage: unknown
  readonly output: readonly Readonly<Record<string, unknown>>[]
  readonly foreword: { readonly calls: readonly string[]; readonly session?: string; readonly turn?: string }
}

const look = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }

/** What the runtime was asked, without what every call has. */
async function asked(body: object, headers: Record<string, string> = {}) {
  const runtime = scriptedRuntime()
  const response = await served(runtime).request(path, { body, headers })
  assert.equal(response.status, 200, await response.clone().text())
  const { signal: _signal, ...given } = runtime.completed[0]!
  return { given, response }
}

test('the options of a request are passed on under the names of the runtime', async () => {
  const { given } = await asked({
    model: 'ollama/llama3.2',
    instructions: 'Be brief.',
    input: 'Hello',
    tools: [look],
    tool_choice: { type: 'function', name: 'look' },
    parallel_tool_calls: true,
    max_output_tokens: 50,
    temperature: 0.5,
    top_p: 0.9,
    text: { format: { type: 'json_object' } },
    reasoning: { effort: 'low', summary: 'auto' },
    truncation: 'auto',
    metadata: { task: 'greet' },
  })
  assert.deepEqual(given, {
    model: 'ollama/llama3.2',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ],
    tools: [{ name: 'look', inputSchema: { type: 'object', properties: {} } }],
    maxOutputTokens: 50,
    cut: 'auto',
    parameters: {
      temperature: 0.5,
      topP: 0.9,
      reasoningEffort: 'low',
      responseFormat: { type: 'json' },
      toolChoice: { toolName: 'look' },
    },
  })
})

test('the choice of tools narrows them, forces one, or forbids them', async () => {
  const touch = { ...look, name: 'touch' }
  const tools = [look, touch, { type: 'custom', name: 'patch' }]
  const chosen = async (tool_choice: unknown) => {
    const { given } = await asked({ input: 'Hello', tools, tool_choice })
    return [given.tools?.map(({ name }) => name), given.toolChoice, given.parameters?.toolChoice]
  }
  const all = ['look', 'touch', 'patch']
  const only = (mode: string) => ({ type: 'allowed_tools', mode, tools: [{ type: 'function', name: 'touch' }] })
  assert.deepEqual(await chosen('auto'), [all, undefined, undefined])
  assert.deepEqual(await chosen('none'), [all, 'none', undefined])
  assert.deepEqual(await chosen('required'), [all, undefined, 'required'])
  assert.deepEqual(await chosen({ type: 'custom', name: 'patch' }), [all, undefined, { toolName: 'patch' }])
  assert.deepEqual(await chosen(only('auto')), [['touch'], undefined, undefined])
  assert.deepEqual(await chosen(only('required')), [['touch'], undefined, 'required'])
})

test('what this endpoint has not is refused by name, unless it asks for what happens anyway', async () => {
  const { request } = served(scriptedRuntime())
  const refused: readonly [object, string, RegExp][] = [
    [{ background: true }, 'background', /Leave it out, and stream the response/],
    [{ conversation: 'conv_1' }, 'conversation', /Name the conversation with `user`/],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt', /Send its text as `instructions`/],
    [{ top_logprobs: 3 }, 'top_logprobs', /Leave it out/],
    [{ tools: [{ type: 'code_interpreter' }] }, 'tools.0', /a tool of type code_interpreter is run by OpenAI/],
    [{ tools: [look, { type: 'mcp', server_label: 'x' }] }, 'tools.1', /a tool of type mcp is run by OpenAI/],
    [{ tools: [look, look] }, 'tools', /two tools are named look/],
    [{ tool_choice: 'required' }, 'tool_choice', /`tools` has no tool\./],
    [{ tools: [look], tool_choice: { type: 'web_search' } }, 'tool_choice', /no tool named web_search/],
    [{ input: [{ type: 'compaction', encrypted_content: 'x' }] }, 'input.0', /an item of type compaction has no place/],
    [{ input: [] }, 'input', /has nothing to answer/],
    [{ input: 7 }, 'input', /expected a text or an array of items/],
  ]
  for (const [fields, param, sentence] of refused) {
    const response = await request(path, { body: { input: 'Hello', ...fields } })
    const { error } = (await response.json()) as Refusal
    assert.deepEqual([response.status, error.param], [400, param], error.message)
    assert.match(error.message, sentence)
  }
  const usual = { background: false, top_logprobs: 0, stream: false, conversation: null }
  assert.equal((await request(path, { body: { input: 'Hello', ...usual } })).status, 200)
})

test('a field that nobody reads fails nothing, and is named', async () => {
  const { response } = await asked({
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hello', weight: 2 }], mood: 'good' }],
    tools: [{ ...look, defer_loading: true }, { type: 'web_search' }],
    text: { verbosity: 'low' },
    reasoning: { generate_summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    service_tier: 'flex',
    seed: 7,
  })
  assert.deepEqual(response.headers.get('x-foreword-ignored')!.split(', ').toSorted(), [
    'include.reasoning.encrypted_content',
    'input.content.weight',
    'input.mood',
    'reasoning.generate_summary',
    'seed',
    'service_tier',
    'text.verbosity',
    'tools.defer_loading',
    'tools.web_search',
  ])
})

test('the shell of the client is called, and answers, in the form of its own', async () => {
  const input = { command: ['ls', '-l'], timeout_ms: 100 }
  const complete = async function* (): AsyncGenerator<CompletionEvent> {
    yield { type: 'call-start', call: 'call-1', model: 'rehearsal' }
    yield { type: 'tool-call', toolCallId: 'a', toolName: 'local_shell', input }
    yield { type: 'finish', reason: 'tool-calls', usage: UNREPORTED_USAGE }
  }
  const runtime = scriptedRuntime({ complete })
  const { json } = served(runtime)
  const tools = [{ type: 'local_shell' }]
  const { output, usage } = await json<Answered>(path, { body: { input: 'What is here?', tools } })
  const action = { type: 'exec', command: ['ls', '-l'], timeout_ms: 100, env: {} }
  assert.deepEqual(output, [
    { id: 'lsh_call-1_0', type: 'local_shell_call', status: 'completed', call_id: 'a', action },
  ])
  // The provider reported nothing, and no number is invented.
  assert.equal(usage, null)
  const answered = [...output, { type: 'local_shell_call_output', id: 'lsh_call-1_0', output: 'a.txt' }]
  await json(path, { body: { input: answered, tools } })
  assert.deepEqual(runtime.completed[1]!.messages, [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'local_shell', input: action }] },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 'local_shell', output: { type: 'text', value: 'a.txt' } },
      ],
    },
  ])
})

test('arguments that are no JSON go back as the model wrote them', async () => {
  const complete = async function* (): AsyncGenerator<CompletionEvent> {
    yield { type: 'call-start', call: 'call-1', model: 'rehearsal' }
    yield { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{not json' }
    yield { type: 'tool-call', toolCallId: 'b', toolName: 'patch', input: { other: 1 } }
    yield { type: 'finish', reason: 'tool-calls', usage: UNREPORTED_USAGE }
  }
  const { json } = served(scriptedRuntime({ complete }))
  const tools = [look, { type: 'custom', name: 'patch' }]
  const { output } = await json<Answered>(path, { body: { input: 'Hello', tools } })
  assert.deepEqual(
    output.map(({ arguments: text, input }) => text ?? input),
    ['{not json', '{"other":1}'],
  )
})

test('an answer without a word is a message without text', async () => {
  const complete = async function* (): AsyncGenerator<CompletionEvent> {
    yield { type: 'call-start', call: 'call-1', model: 'rehearsal' }
    yield { type: 'finish', reason: 'stop', usage: UNREPORTED_USAGE }
  }
  const { request, json } = served(scriptedRuntime({ complete }))
  const { output } = await json<Answered>(path, { body: { input: 'Hello' } })
  assert.deepEqual(output[0]!['content'], [{ type: 'output_text', text: '', annotations: [], logprobs: [] }])
  const events = await eventsOf(await request(path, { body: { input: 'Hello', stream: true } }))
  assert.deepEqual(
    events.map(({ event }) => event),
    [
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ],
  )
})

test('in a session the answer has the session, the turn and the calls', async () => {
  const { request } = served(scriptedRuntime())
  const response = await request(path, { body: { user: 'ann', input: 'Hello' } })
  const { id, foreword } = (await response.json()) as Answered
  assert.equal(id, `resp_${foreword.session}.${foreword.turn}`)
  assert.deepEqual(foreword.calls, [`call-${foreword.turn}`])
  assert.deepEqual(
    ['session', 'turn', 'call'].map((name) => response.headers.get(`x-foreword-${name}`)),
    [foreword.session, foreword.turn, `call-${foreword.turn}`],
  )
})
