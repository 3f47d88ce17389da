import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type OpenAI, BadRequestError, NotFoundError } from 'openai'
import { gateway } from './openai-gateway.ts'

const model = 'foreword'

function filesOf(home: string): readonly string[] {
  try {
    return readdirSync(join(home, 'data', 'responses')).toSorted()
  } catch {
    return []
  }
}

const unknownPrevious = (error: unknown) =>
  error instanceof BadRequestError &&
  error.code === 'previous_response_not_found' &&
  error.param === 'previous_response_id' &&
  /Previous response with id '.+' not found\./.test(error.message)

test('a response is kept, read, listed with its input, and removed with its words', async (t) => {
  const { client, home } = await gateway(t, { answer: ({ newest }) => ({ text: `You said: ${newest}` }) })
  const one = await client.responses.create({ model, input: 'My name is Ann.', metadata: { task: 'names' } })
  const two = await client.responses.create({ model, input: 'And who am I?', previous_response_id: one.id })
  assert.deepEqual(filesOf(home), [`${one.id}.json`, `${two.id}.json`].toSorted())
  assert.equal(statSync(join(home, 'data', 'responses', `${one.id}.json`)).mode & 0o777, 0o600)

  const again = await client.responses.retrieve(one.id)
  assert.deepEqual([again.output_text, again.metadata, again.status], [one.output_text, { task: 'names' }, 'completed'])
  const items: string[] = []
  for await (const item of client.responses.inputItems.list(two.id, { order: 'asc', limit: 2 })) {
    items.push(JSON.stringify('content' in item ? item.content : item))
  }
  assert.equal(items.length, 3)
  assert.match(items[0]!, /My name is Ann/)
  assert.match(items[1]!, /You said: My name is Ann/)
  assert.match(items[2]!, /And who am I/)

  await client.responses.delete(one.id)
  assert.deepEqual(filesOf(home), [`${two.id}.json`])
  assert.doesNotMatch(readFileSync(join(home, 'data', 'responses', `${two.id}.json`), 'utf8'), /Ann/)
  await assert.rejects(client.responses.retrieve(one.id), NotFoundError)
  await assert.rejects(client.responses.delete(one.id), NotFoundError)
  await assert.rejects(
    client.responses.create({ model, input: 'Go on.', previous_response_id: one.id }),
    unknownPrevious,
  )
  await assert.rejects(
    client.responses.create({ model, input: 'Go on.', previous_response_id: two.id }),
    unknownPrevious,
  )
})

test('nothing is kept where the request or the configuration says so, and the response says that', async (t) => {
  const { client, home } = await gateway(t)
  const one = await client.responses.create({ model, input: 'Hello', store: false })
  assert.equal((one as unknown as { store: boolean }).store, false)
  await assert.rejects(
    client.responses.create({ model, input: 'Go on.', previous_response_id: one.id }),
    unknownPrevious,
  )
  await assert.rejects(
    client.responses.create({ model, input: [{ type: 'item_reference', id: one.output[0]!.id! }] }),
    /Item with id 'msg_.+' not found\. Items are not persisted when `store` is set to false/,
  )
  assert.deepEqual(filesOf(home), [])

  const never = await gateway(t, { configuration: { responses: { keepDays: 0 } } })
  const two = await never.client.responses.create({ model, input: 'Hello', store: true })
  assert.equal((two as unknown as { store: boolean }).store, false)
  assert.deepEqual(filesOf(never.home), [])
})

test('a response is found with the token that made it alone', async (t) => {
  const { client, clientOf } = await gateway(t)
  const [ann, bob] = [await clientOf('ann'), await clientOf('bob')]
  const { id } = await ann.responses.create({ model, input: 'A secret.' })
  assert.equal((await ann.responses.retrieve(id)).id, id)
  for (const other of [bob, client]) {
    await assert.rejects(other.responses.retrieve(id), NotFoundError)
    await assert.rejects(other.responses.inputItems.list(id), NotFoundError)
    await assert.rejects(other.responses.delete(id), NotFoundError)
    await assert.rejects(other.responses.cancel(id), NotFoundError)
    await assert.rejects(other.responses.create({ model, input: 'Which?', previous_response_id: id }), unknownPrevious)
  }
})

test('a new token with the name of a revoked one finds nothing that the old one has kept', async (t) => {
  const { clientOf, revoke } = await gateway(t)
  const old = await clientOf('ann')
  const { id } = await old.responses.create({ model, input: 'A secret.' })
  await revoke('ann')
  const other = await clientOf('ann')
  await assert.rejects(other.responses.retrieve(id), NotFoundError)
  await assert.rejects(other.responses.delete(id), NotFoundError)
  await assert.rejects(other.responses.create({ model, input: 'Which?', previous_response_id: id }), unknownPrevious)
})

test('a secret that Foreword knows is in no kept response', async (t) => {
  const { client, home } = await gateway(t, { answer: ({ newest }) => ({ text: newest }) })
  const secret = 'sk-test-0123456789'
  const { id } = await client.responses.create({ model, input: `Say ${secret}`, instructions: secret })
  assert.ok(!readFileSync(join(home, 'data', 'responses', `${id}.json`), 'utf8').includes(secret))
  assert.equal((await client.responses.retrieve(id)).output_text, 'Say [KEY]')
})

test('a response that cannot be written is answered, and says that it is not kept', async (t) => {
  const { client, home, runtime } = await gateway(t)
  writeFileSync(join(home, 'data', 'responses'), 'a file in the place of the folder')
  const answer = (await client.responses.create({ model, input: 'Hello' })) as unknown as { store: boolean }
  assert.equal(answer.store, false)
  assert.match((await runtime.status()).warnings.join('\n'), /cannot be kept in .*responses/)
})

test('a response that nobody used for the configured time is gone, and use keeps the whole conversation', async (t) => {
  const { client, home } = await gateway(t, { configuration: { responses: { keepDays: 2 } } })
  const path = (id: string) => join(home, 'data', 'responses', `${id}.json`)
  const age = (id: string, days: number) => {
    const seconds = Date.now() / 1000 - days * 24 * 60 * 60
    utimesSync(path(id), seconds, seconds)
  }
  const one = await client.responses.create({ model, input: 'One' })
  const two = await client.responses.create({ model, input: 'Two', previous_response_id: one.id })
  for (const { id } of [one, two]) age(id, 1.5)
  await client.responses.create({ model, input: 'Three', previous_response_id: two.id })
  for (const { id } of [one, two]) assert.ok(Date.now() - statSync(path(id)).mtimeMs < 60_000)
  age(one.id, 2.5)
  await assert.rejects(client.responses.retrieve(one.id), NotFoundError)
})

test('an id that names no file of a response reads none', async (t) => {
  const { client } = await gateway(t)
  for (const id of ['resp_../../token', 'token', 'resp_..%2f..%2ftoken', 'resp_']) {
    await assert.rejects(client.responses.retrieve(id), NotFoundError, id)
  }
})

async function inSession(t: TestContext) {
  const opened = await gateway(t, { answer: ({ newest }) => ({ text: `You said: ${newest}` }) })
  const ask = (more: object) =>
    opened.client.responses.create({ model, ...more }) as unknown as Promise<OpenAI.Responses.Response>
  return { ...opened, ask }
}

test('in a session the id of a response names its turn, and the next request goes on from there', async (t) => {
  const { client, ask, provider, runtime, home } = await inSession(t)
  const one = await ask({ user: 'ann', input: 'One' })
  const [session, turn] = /^resp_(.+)\.(.+)$/.exec(one.id)!.slice(1)
  assert.ok(await runtime.store.turn(session!, turn!))
  const two = await ask({ input: 'Two', previous_response_id: one.id })
  assert.ok(two.id.startsWith(`resp_${session}.`))
  await ask({ input: 'Instead of two', previous_response_id: one.id })
  const sent = JSON.stringify(provider.requests.at(-1)!.body['messages'])
  assert.match(sent, /You said: One.*Instead of two/)
  assert.doesNotMatch(sent, /Two/)
  assert.equal((await runtime.branches(session!)).length, 2)
  assert.deepEqual(filesOf(home), [])

  const read = await client.responses.retrieve(two.id)
  assert.deepEqual([read.output_text, read.status, read.id], ['You said: Two', 'completed', two.id])
  await assert.rejects(client.responses.retrieve(two.id, { stream: true }), /`stream` is not supported here/)
  const { data } = await client.responses.inputItems.list(two.id)
  assert.match(JSON.stringify(data), /"text":"Two"/)
  await assert.rejects(client.responses.delete(two.id), /DELETE|whose history is kept as a whole/)
  await assert.rejects(ask({ input: 'x', previous_response_id: `resp_${session}.turn_none` }), unknownPrevious)
})

test('a turn of a session can be cancelled by the id of its response, and one outside cannot', async (t) => {
  const { client } = await gateway(t, { answer: () => ({ text: 'One two three', hangAfter: 3 }) })
  const stream = await client.responses.create({ model, user: 'ann', input: 'Hello', stream: true })
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of stream) {
    events.push(event)
    if (event.type === 'response.output_text.delta' && events.length < 6) {
      const [begun] = events
      const id = begun?.type === 'response.created' ? begun.response.id : ''
      assert.equal((await client.responses.retrieve(id)).status, 'in_progress')
      assert.equal((await client.responses.cancel(id)).status, 'cancelled')
    }
  }
  assert.equal(events.at(-1)?.type, 'response.failed')

  const other = await gateway(t)
  const { id } = await other.client.responses.create({ model, input: 'Hello' })
  await assert.rejects(other.client.responses.cancel(id), /Cannot cancel a synchronous response/)
})

test('what a session decides itself is refused or named', async (t) => {
  const { client, ask } = await inSession(t)
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }]
  await assert.rejects(ask({ user: 'ann', input: 'x', tools }), /in a session the gateway runs its own tools/)
  const output = [{ type: 'function_call_output', call_id: 'a', output: 'blue' }]
  await assert.rejects(ask({ user: 'ann', input: output }), /the last item must be a message with the role user/)
  const plain = await ask({ input: 'x' })
  await assert.rejects(ask({ user: 'ann', input: 'x', previous_response_id: plain.id }), /belongs to no session/)
  const { response } = await client.responses
    .create({
      model,
      user: 'ann',
      instructions: 'Be brief.',
      max_output_tokens: 5,
      input: [
        { role: 'user', content: 'One' },
        { role: 'user', content: 'Two' },
      ],
    })
    .withResponse()
  assert.equal(response.headers.get('x-foreword-ignored'), 'instructions, max_output_tokens, input.earlier')
})
