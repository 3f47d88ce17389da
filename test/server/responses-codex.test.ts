import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codexCalls, codexToolNames } from './codex-shapes.ts'
import { gateway } from './openai-gateway.ts'
import { parseEvents, TOKEN } from './served.ts'

/** The fields that Codex reads of an event, by its type. It takes an item without one of them for a broken stream. */
const needed: Readonly<Record<string, readonly string[]>> = {
  message: ['role', 'content'],
  reasoning: ['id', 'summary'],
  function_call: ['name', 'arguments', 'call_id'],
}

interface CodexEvent {
  readonly type: string
  readonly response?: {
    readonly id: string
    readonly usage: { readonly input_tokens: number } | null
    readonly error: { readonly code: string } | null
  }
  readonly item?: Readonly<Record<string, unknown>> & { readonly type: string }
}

async function played(url: string, { body, headers }: Pick<(typeof codexCalls)[number], 'body' | 'headers'>) {
  const response = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const events = parseEvents(text).map(({ data, event }) => {
    assert.equal(data.type, event)
    return data as unknown as CodexEvent
  })
  return { response, text, events }
}

const answer = {
  reasoning: 'I should look.',
  text: 'I look.',
  toolCalls: [
    { id: 'call_9', name: 'exec_command', input: { cmd: 'ls' } },
    { id: 'call_10', name: 'multi_agent_v1__spawn_agent', input: { cmd: 'look' } },
  ],
}

for (const api of ['lab', 'chat', 'responses', 'ollama', 'anthropic']) {
  test(`every call of a session of Codex is answered in the form that it reads (${api})`, async (t) => {
    const { url, provider } = await gateway(t, {
      answer: ({ tools }) => (tools.length > 0 ? answer : { text: 'A summary.' }),
      allWires: true,
    })
    for (const call of codexCalls) {
      const { what } = call
      const before = provider.requests.length
      const body = { ...call.body, model: `${api}/scripted` }
      const { response, events, text } = await played(url, { ...call, body })
      assert.equal(response.status, 200, `${what}: ${text}`)
      assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
      assert.equal(provider.requests.length, before + 1, what)
      const alone = what === 'a model that Codex does not know'
      const isIgnored = response.headers.get('x-foreword-ignored')!.includes('parallel_tool_calls')
      assert.equal(isIgnored, alone && api === 'ollama', what)
      assert.deepEqual(
        events.slice(0, 2).map(({ type }) => type),
        ['response.created', 'response.in_progress'],
      )
      const last = events.at(-1)!
      assert.equal(last.type, 'response.completed', `${what}: ${text}`)
      assert.ok(last.response!.id !== '' && typeof last.response!.usage?.input_tokens === 'number', what)
      const items = events.flatMap(({ type, item }) => (type === 'response.output_item.done' && item ? [item] : []))
      for (const item of items) for (const field of needed[item.type]!) assert.ok(item[field] !== undefined, field)
      const tools = provider.requests.at(-1)!.tools
      const compacts = what === 'a compaction'
      assert.deepEqual(tools, compacts ? [] : codexToolNames, what)
      if (compacts) continue
      const calls = items.filter(({ type }) => type === 'function_call')
      assert.deepEqual(
        calls.map(({ name, namespace }) => [name, namespace]),
        [
          ['exec_command', undefined],
          ['spawn_agent', 'multi_agent_v1'],
        ],
        what,
      )
      // Ollama's calls have no ids of their own.
      if (api === 'ollama') assert.equal(new Set(calls.map(({ call_id: id }) => id)).size, 2)
      else
        assert.deepEqual(
          calls.map(({ call_id: id }) => id),
          ['call_9', 'call_10'],
        )
    }
  })
}

test('what of a call of Codex has no place is named, and everything else reaches the provider', async (t) => {
  const { url, provider } = await gateway(t)
  const { response } = await played(url, codexCalls[2]!)
  assert.deepEqual(response.headers.get('x-foreword-ignored')?.split(', ').toSorted(), [
    'client_metadata',
    'include.reasoning.encrypted_content',
    'input.encrypted_content',
    'prompt_cache_key',
    'tools.namespace.description',
    'tools.web_search',
  ])
  const ofTool = (id: string, name: string, input: object) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  })
  assert.deepEqual(provider.requests[0]!.body['messages'], [
    { role: 'system', content: 'Permissions of the sandbox.' },
    { role: 'system', content: 'Instructions of the project.\nSkills.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Environment: Linux.' },
        { type: 'text', text: 'Folder: /work.' },
      ],
    },
    { role: 'user', content: 'What is in notes.txt?' },
    {
      role: 'assistant',
      content: 'I read the file.',
      reasoning_content: 'I should read it.',
      tool_calls: [ofTool('call_1', 'exec_command', { cmd: 'cat notes.txt' })],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'Tides.' },
    { role: 'assistant', content: 'It is about tides.' },
    { role: 'user', content: 'Look twice.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        ofTool('call_2', 'exec_command', { cmd: 'wc notes.txt' }),
        ofTool('call_3', 'multi_agent_v1__spawn_agent', { cmd: 'look' }),
      ],
    },
    { role: 'tool', tool_call_id: 'call_2', content: '1 1 6' },
    { role: 'tool', tool_call_id: 'call_3', content: 'spawned' },
  ])
})

test('Codex learns from a failed response that its window is full', async (t) => {
  const { url } = await gateway(t)
  const text = 'word '.repeat(20_000)
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }]
  const { response, events } = await played(url, { ...codexCalls[0]!, body: { ...codexCalls[0]!.body, input } })
  assert.equal(response.status, 200)
  assert.deepEqual(
    [events.at(-1)?.type, events.at(-1)?.response?.error?.code],
    ['response.failed', 'context_length_exceeded'],
  )
})
