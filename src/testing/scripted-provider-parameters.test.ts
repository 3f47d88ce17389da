import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { providers as known } from '../capabilities/providers.ts'
import { type CallParameters, createModels, ModelError, PARAMETER_NAMES } from '../model.ts'
import { scriptedProvider } from './scripted-provider.ts'
import { systemClock } from '../platform.ts'

const server = await scriptedProvider({ models: [{ name: 'scripted', capabilities: ['tools', 'thinking'] }] })
after(() => server.close())

const at = { baseURL: server.url, apiKeyEnv: 'KEY' }
const models = createModels({
  clock: systemClock,
  known,
  environment: { KEY: 'sk-test-0123456789abcdef' },
  providers: {
    ollama: { kind: 'ollama', ...at },
    openai: { kind: 'openai', ...at },
    responses: { kind: 'openai', api: 'responses', ...at },
    anthropic: { kind: 'anthropic', ...at },
    local: { kind: 'openai-compatible', ...at },
  },
})

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const tools = [{ name: 'look', inputSchema: { type: 'object', properties: {} } }]

/** One value for each parameter, different from the default of every provider. */
const ASKED: { readonly [Name in keyof CallParameters]-?: CallParameters[Name] } = {
  temperature: 0.25,
  topP: 0.5,
  topK: 7,
  stop: ['END', '\n\n'],
  seed: 7,
  presencePenalty: 0.5,
  frequencyPenalty: -0.5,
  responseFormat: { type: 'json', schema, name: 'place', strict: true },
  reasoningEffort: 'high',
  toolChoice: { toolName: 'look' },
  parallelToolCalls: false,
}

/** The place and the value of a parameter in the body of a request. If it is missing, the call is refused. */
type Places = { readonly [Name in keyof CallParameters]?: readonly [path: string, value: unknown] }

const chat: Places = {
  temperature: ['temperature', 0.25],
  topP: ['top_p', 0.5],
  stop: ['stop', ['END', '\n\n']],
  seed: ['seed', 7],
  presencePenalty: ['presence_penalty', 0.5],
  frequencyPenalty: ['frequency_penalty', -0.5],
  responseFormat: ['response_format', { type: 'json_schema', json_schema: { schema, strict: true, name: 'place' } }],
  reasoningEffort: ['reasoning_effort', 'high'],
  toolChoice: ['tool_choice', { type: 'function', function: { name: 'look' } }],
  parallelToolCalls: ['parallel_tool_calls', false],
}

const { reasoningEffort, stop, seed, responseFormat, toolChoice, parallelToolCalls } = chat

const WIRES: Readonly<Record<string, Places>> = {
  'local/scripted': chat,
  'openai/gpt-4o': chat,
  'openai/o3': { reasoningEffort, stop, seed, responseFormat, toolChoice, parallelToolCalls },
  'responses/gpt-4o': {
    temperature: ['temperature', 0.25],
    topP: ['top_p', 0.5],
    responseFormat: ['text.format', { type: 'json_schema', strict: true, name: 'place', schema }],
    toolChoice: ['tool_choice', { type: 'function', name: 'look' }],
    parallelToolCalls: ['parallel_tool_calls', false],
  },
  'responses/gpt-5.4': {
    reasoningEffort: ['reasoning.effort', 'high'],
    responseFormat: ['text.format', { type: 'json_schema', strict: true, name: 'place', schema }],
    toolChoice: ['tool_choice', { type: 'function', name: 'look' }],
    parallelToolCalls: ['parallel_tool_calls', false],
  },
  'anthropic/claude-sonnet-4-5': {
    temperature: ['temperature', 0.25],
    topP: ['top_p', 0.5],
    topK: ['top_k', 7],
    stop: ['stop_sequences', ['END', '\n\n']],
    responseFormat: ['output_config.format', { type: 'json_schema', schema }],
    reasoningEffort: ['thinking.type', 'enabled'],
    toolChoice: ['tool_choice', { type: 'tool', name: 'look' }],
    parallelToolCalls: ['tool_choice', { type: 'auto', disable_parallel_tool_use: true }],
  },
  'ollama/scripted': {
    temperature: ['options.temperature', 0.25],
    topP: ['options.top_p', 0.5],
    stop: ['options.stop', ['END', '\n\n']],
    seed: ['options.seed', 7],
    presencePenalty: ['options.presence_penalty', 0.5],
    frequencyPenalty: ['options.frequency_penalty', -0.5],
    responseFormat: ['format', schema],
    reasoningEffort: ['think', true],
  },
}

for (const [id, places] of Object.entries(WIRES)) {
  for (const name of Object.keys(ASKED) as (keyof CallParameters)[]) {
    const place = places[name]
    test(`${id}: ${name} ${place ? `is ${place[0]} on the wire` : 'is refused before a request is sent'}`, async () => {
      const before = server.requests.length
      const asking = ask(id, { [name]: ASKED[name] })
      if (!place) {
        await assert.rejects(asking, (error) => {
          assert.ok(error instanceof ModelError)
          assert.deepEqual([error.code, error.facts.parameter], ['unsupported-parameter', PARAMETER_NAMES[name]])
          assert.ok(error.message.includes(`\`${PARAMETER_NAMES[name]}\``) && error.message.includes(id))
          return true
        })
        assert.equal(server.requests.length, before)
        return
      }
      await asking
      assert.equal(server.requests.length, before + 1)
      assert.deepEqual(valueAt(server.requests.at(-1)!.body, place[0]), place[1])
    })
  }
}

test('JSON without a schema is requested if the API supports it, and refused otherwise', async () => {
  const parameters: CallParameters = { responseFormat: { type: 'json' } }
  for (const [id, path, value] of [
    ['local/scripted', 'response_format', { type: 'json_object' }],
    ['openai/gpt-4o', 'response_format', { type: 'json_object' }],
    ['responses/gpt-4o', 'text.format', { type: 'json_object' }],
    ['ollama/scripted', 'format', 'json'],
  ] as const) {
    await ask(id, parameters)
    assert.deepEqual(valueAt(server.requests.at(-1)!.body, path), value, id)
  }
  await assert.rejects(ask('anthropic/claude-sonnet-4-5', parameters), { code: 'unsupported-parameter' })
})

test('values that are the default of a provider are never refused', async () => {
  const usual: CallParameters = { temperature: 1, topP: 1, presencePenalty: 0, frequencyPenalty: 0 }
  for (const id of Object.keys(WIRES)) await ask(id, usual)
})

test('a required tool call is requested in the format of each API', async () => {
  for (const [id, choice] of [
    ['local/scripted', 'required'],
    ['openai/gpt-4o', 'required'],
    ['responses/gpt-4o', 'required'],
    ['anthropic/claude-sonnet-4-5', { type: 'any' }],
  ] as const) {
    await ask(id, { toolChoice: 'required' })
    assert.deepEqual(server.requests.at(-1)!.body['tool_choice'], choice, id)
  }
  await assert.rejects(ask('ollama/scripted', { toolChoice: 'required' }), { code: 'unsupported-parameter' })
})

async function ask(id: string, parameters: CallParameters): Promise<void> {
  const model = await models.model(id)
  const offered = 'toolChoice' in parameters || 'parallelToolCalls' in parameters ? tools : []
  const request = { tools: offered, messages: [{ role: 'user' as const, content: 'Hello' }] }
  for await (const _ of model.call(request, { signal: new AbortController().signal, parameters }));
}

function valueAt(body: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body)
}
