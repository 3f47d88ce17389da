import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScriptedAnswer } from '../../src/testing.ts'
import { gateway, PIXEL } from './openai-gateway.ts'
import { responseEvent, responseResource } from './open-responses-schema.ts'
import { eventsOf, TOKEN } from './served.ts'

const said = (role: string, content: unknown) => ({ type: 'message', role, content })
const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'Get the current weather for a location',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
}
const calls: ScriptedAnswer = {
  reasoning: 'It is asked for.',
  text: 'I ask.',
  toolCalls: [{ id: 'call_1', name: 'get_weather', input: { location: 'San Francisco, CA' } }],
}
const image = { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` }

interface Template {
  readonly input: readonly object[]
  readonly tools?: readonly object[]
  readonly stream?: boolean
  readonly output: readonly string[]
}

/** The templates of the compliance suite of Open Responses. */
const templates: Readonly<Record<string, Template>> = {
  'a basic response': { input: [said('user', 'Say hello in exactly 3 words.')], output: ['message'] },
  'a streamed response': { input: [said('user', 'Count from 1 to 5.')], stream: true, output: ['message'] },
  'a system prompt': { input: [said('system', 'You are a pirate.'), said('user', 'Say hello.')], output: ['message'] },
  'a call of a tool': { input: [said('user', 'The weather?')], tools: [weather], output: ['function_call'] },
  'a streamed call': {
    input: [said('user', 'The weather?')],
    tools: [weather],
    stream: true,
    output: ['function_call'],
  },
  'an image': {
    input: [said('user', [{ type: 'input_text', text: 'What do you see?' }, image])],
    output: ['message'],
  },
  'several turns': {
    input: [said('user', 'My name is Alice.'), said('assistant', 'Hello Alice!'), said('user', 'What is my name?')],
    output: ['message'],
  },
}

for (const [name, { output, ...body }] of Object.entries(templates)) {
  for (const usage of [undefined, 'silent' as const]) {
    test(`Open Responses: ${name}${usage ? ' without usage' : ''} has every field of the schema`, async (t) => {
      const { url } = await gateway(t, {
        answer: () => ({ ...(body.tools ? calls : { text: 'Hello to you.' }), ...(usage && { usage }) }),
      })
      const response = await fetch(`${url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify({ model: 'foreword', stream: false, ...body }),
      })
      assert.equal(response.status, 200)
      const events = body.stream ? (await eventsOf(response)).map(({ data }) => data) : []
      for (const event of events) responseEvent.parse(event)
      const answer = responseResource.parse(
        body.stream ? (events.at(-1) as { response: unknown }).response : await response.json(),
      )
      assert.equal(answer.status, 'completed')
      assert.ok(answer.completed_at! >= answer.created_at)
      assert.equal(answer.usage === null, usage === 'silent')
      for (const type of output)
        assert.ok(
          answer.output.some((item) => item.type === type),
          type,
        )
      // What is kept is the same, and so has every field, too.
      const kept = await fetch(`${url}/v1/responses/${answer.id}`, { headers: { authorization: `Bearer ${TOKEN}` } })
      assert.deepEqual(responseResource.parse(await kept.json()), answer)
    })
  }
}

test('Open Responses: what a request says of its answer is in the response, with the fields that the schema adds', async (t) => {
  const { client, provider } = await gateway(t, { answer: () => ({ text: '{}' }) })
  const format = { type: 'json_schema' as const, name: 'empty', schema: { type: 'object' } }
  // OpenAI's own API has no such fields.
  const penalties = { presence_penalty: 0.25, frequency_penalty: -0.5 }
  const response = await client.responses.create({
    model: 'foreword',
    input: 'Hello',
    tools: [{ type: 'function', name: 'look', parameters: null, strict: null }],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look' }] },
    text: { format },
    temperature: 0.5,
    top_p: 0.9,
    max_output_tokens: 100,
    ...penalties,
  })
  const { tools, text, ...answer } = responseResource.parse(response)
  assert.deepEqual(tools, [{ type: 'function', name: 'look', description: null, parameters: null, strict: null }])
  assert.deepEqual(text.format, { type: 'json_schema', name: 'empty', description: null, strict: false })
  const { temperature, top_p, presence_penalty, frequency_penalty, max_output_tokens } = answer
  const options = { temperature, top_p, presence_penalty, frequency_penalty }
  assert.deepEqual(options, { temperature: 0.5, top_p: 0.9, ...penalties })
  assert.equal(max_output_tokens, 100)
  const sent = provider.requests.at(-1)!.body
  assert.deepEqual([sent['presence_penalty'], sent['frequency_penalty']], [0.25, -0.5])
})

test('Open Responses: an answer that was cut short, and a turn of a session, have every field', async (t) => {
  const { client } = await gateway(t, { answer: () => ({ text: 'Once upon', finish: 'length' }) })
  const cut = responseResource.parse(await client.responses.create({ model: 'foreword', input: 'Tell me a tale.' }))
  assert.deepEqual([cut.status, cut.completed_at], ['incomplete', null])
  const turn = await client.responses.create({ model: 'foreword', input: 'Tell me a tale.', user: 'ann' })
  const read = responseResource.parse(await client.responses.retrieve(turn.id))
  assert.deepEqual([read.id, read.status, read.output], [turn.id, turn.status, responseResource.parse(turn).output])
})
