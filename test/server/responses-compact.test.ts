import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OpenAI, BadRequestError } from 'openai'
import { gateway } from './openai-gateway.ts'
import { compactResource } from './open-responses-schema.ts'

const model = 'foreword'

const spoken: OpenAI.Responses.ResponseInputItem[] = [
  { role: 'developer', content: 'Be brief.' },
  { role: 'user', content: 'Look at the tide tables.' },
  { type: 'function_call', call_id: 'a', name: 'read_file', arguments: '{"path":"tides/may.txt"}' },
  { type: 'function_call_output', call_id: 'a', output: 'High water at 6:12.' },
  { role: 'assistant', content: 'It is high at 6:12, a long answer that is not needed again.' },
  { role: 'user', content: 'Book a boat for it.' },
  { role: 'assistant', content: 'Booked: BOAT-7781.' },
]

const words = 'The person wants a boat at high water (6:12). BOAT-7781 is booked.'
const ASK = 'Write the note that will stand in the place'

test('the prompt tokens of a request are counted, and nothing is sent', async (t) => {
  const { client, provider } = await gateway(t, { answer: () => ({ text: 'Noted.' }) })
  const plain = await client.responses.inputTokens.count({ model, input: 'Hello' })
  assert.equal(plain.object, 'response.input_tokens')
  const tools = [{ type: 'function' as const, name: 'look', parameters: { type: 'object' }, strict: false }]
  const more = await client.responses.inputTokens.count({ model, input: 'Hello', instructions: 'Be brief.', tools })
  assert.ok(plain.input_tokens > 0 && more.input_tokens > plain.input_tokens)
  assert.equal(provider.requests.length, 0)
  const { id } = await client.responses.create({ model, input: spoken })
  const after = await client.responses.inputTokens.count({ model, input: 'Hello', previous_response_id: id })
  assert.ok(after.input_tokens > plain.input_tokens)
  await assert.rejects(
    client.responses.inputTokens.count({ model, input: 'Hello' }, { headers: { 'x-foreword-session': 'new' } }),
    (error) => error instanceof BadRequestError && /for calls outside sessions/.test(error.message),
  )
})

test('a conversation is compacted into what people said and a note, and goes on from it', async (t) => {
  const { client, provider } = await gateway(t, {
    answer: ({ body }) => ({ text: JSON.stringify(body).includes(ASK) ? words : 'At the pier.' }),
  })
  const { data, response } = await client.responses.compact({ model, input: spoken }).withResponse()
  const { output, usage } = compactResource.parse(data)
  assert.deepEqual(
    output.map((item) => (item.type === 'message' ? item.role : item.type)),
    ['developer', 'user', 'user', 'compaction'],
  )
  assert.ok(usage.input_tokens > 0 && usage.output_tokens > 0)
  assert.equal(data.id, `resp_${response.headers.get('x-foreword-call')}`)
  // The model is asked behind the whole conversation, whose calls it must not go on with.
  const asked = provider.requests.at(-1)!.body
  assert.equal(asked['tool_choice'], 'none')
  for (const each of ['not needed again', 'High water', ASK]) assert.ok(JSON.stringify(asked).includes(each), each)

  const input = [...data.output, { role: 'user', content: 'Where does it leave?' }] as typeof spoken
  const { output_text } = await client.responses.create({ model, input })
  assert.equal(output_text, 'At the pier.')
  const sent = JSON.stringify(provider.requests.at(-1)!.body['messages'])
  for (const each of ['Be brief.', 'Book a boat', words, 'tides/may.txt', 'BOAT-7781'])
    assert.ok(sent.includes(each), each)
  assert.ok(!sent.includes('not needed again'))
})

test('a note in a conversation is part of the next note, or stays beside it', async (t) => {
  let note = words
  const { client, provider } = await gateway(t, { answer: () => ({ text: note }) })
  const first = await client.responses.compact({ model, input: spoken })
  const input = [...first.output, { role: 'user', content: 'Thanks.' }] as typeof spoken
  const second = await client.responses.compact({ model, input })
  assert.ok(JSON.stringify(provider.requests.at(-1)!.body).includes('everything that the notes in it say'))
  const notesOf = ({ output }: typeof first) => output.filter(({ type }) => type === 'compaction')
  assert.equal(notesOf(second).length, 1)
  // What is no note is not taken for one: then the index stands there, and the note before it.
  note = 'I’m sorry, I cannot do that.'
  const third = await client.responses.compact({ model, input })
  assert.equal(notesOf(third).length, 2)
  assert.deepEqual(notesOf(third)[0], notesOf(first)[0])
  await client.responses.create({
    model,
    input: [...third.output, { role: 'user', content: 'Go on.' }] as typeof spoken,
  })
  const sent = JSON.stringify(provider.requests.at(-1)!.body['messages'])
  assert.ok(sent.includes(words) && sent.includes('an index of what they held') && !sent.includes('sorry'))
})

test('what was kept of a response is compacted with its request, and a session is not', async (t) => {
  const { client, provider } = await gateway(t, { answer: () => ({ text: words }) })
  const { id } = await client.responses.create({ model, input: spoken })
  const { output } = await client.responses.compact({ model, previous_response_id: id })
  assert.equal(output.length, 4)
  const turn = await client.responses.create({ model, input: 'Hello', user: 'ann' })
  const before = provider.requests.length
  await assert.rejects(client.responses.compact({ model, previous_response_id: turn.id }), BadRequestError)
  assert.equal(provider.requests.length, before)
})
