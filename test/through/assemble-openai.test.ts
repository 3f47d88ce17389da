import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import test, { type TestContext } from 'node:test'
import OpenAI from 'openai'
import { NOTE_LEAD } from '../../src/foreign/cut/cut-plan.ts'
import type { CallRecord } from '../../src/session.ts'
import { recordedCalls, startGateway, type TestGateway } from './gateway.ts'
import { type ReceivedRequest, startVendor } from './vendor.ts'

/*
 * Conversations of OpenAI's two formats that are cut on their way, sent by the official SDK to a vendor that refuses what the
 * real one refuses: a call without its result, a result without its call, and reasoning without what it belongs to.
 */

type Item = Readonly<Record<string, unknown>>
type Format = 'responses' | 'chat-completions'

const formats: readonly Format[] = ['responses', 'chat-completions']
const fields = { responses: 'input', 'chat-completions': 'messages' } as const

const itemsIn = ({ body }: Pick<ReceivedRequest, 'body'>): readonly Item[] => {
  const { input, messages } = JSON.parse(body.toString()) as { readonly input?: readonly Item[]; messages?: Item[] }
  return input ?? messages ?? []
}

async function openGateway(t: TestContext) {
  const vendor = await startVendor(t, (request, outgoing) => {
    const fault = request.url.endsWith('/responses') ? responsesFault(itemsIn(request)) : chatFault(itemsIn(request))
    if (fault !== undefined)
      return answerJson(outgoing, { error: { message: fault, type: 'invalid_request_error' } }, 400)
    answerJson(outgoing, request.url.endsWith('/responses') ? response : completion)
  })
  const providers = { openai: { kind: 'openai', baseURL: `${vendor.url}/v1` } }
  const models = { 'openai/gpt-5.5': { window: 4000, maxOutput: 1000 } }
  return { vendor, gateway: await startGateway(t, { providers, configuration: { models } }) }
}

function answerJson(outgoing: ServerResponse, value: object, status = 200): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify(value))
}

const response = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-5.5',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.', annotations: [] }] }],
  usage: { input_tokens: 900, output_tokens: 3, total_tokens: 903 },
}

const completion = {
  id: 'chatcmpl_1',
  object: 'chat.completion',
  model: 'gpt-5.5',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 900, completion_tokens: 3, total_tokens: 903 },
}

/** What OpenAI's Responses refuses of a list of items. */
function responsesFault(items: readonly Item[]): string | undefined {
  const idsOf = (type: string) => new Set(items.filter((item) => item['type'] === type).map((item) => item['call_id']))
  const [calls, outputs] = [idsOf('function_call'), idsOf('function_call_output')]
  for (const id of calls) if (!outputs.has(id)) return `No tool output found for function call ${String(id)}.`
  for (const id of outputs) if (!calls.has(id)) return `No tool call found for function call output ${String(id)}.`
  for (const [at, { type, id }] of items.entries()) {
    const next = items[at + 1]
    if (type === 'reasoning' && next?.['type'] !== 'function_call' && next?.['role'] !== 'assistant')
      return `Item '${String(id)}' of type 'reasoning' was provided without its required following item.`
    const before = items[at - 1]?.['type']
    if (type === 'function_call' && before !== 'reasoning' && before !== 'function_call')
      return `Item '${String(id)}' of type 'function_call' was provided without its required 'reasoning' item.`
  }
  return undefined
}

/** What Chat Completions refuses of a list of messages. */
function chatFault(messages: readonly Item[]): string | undefined {
  let open = new Set<unknown>()
  for (const { role, tool_calls: calls, tool_call_id: id } of messages) {
    if (role === 'tool') {
      if (!open.delete(id))
        return `messages with role 'tool' must be a response to a preceeding message with 'tool_calls'`
      continue
    }
    if (open.size > 0) return `tool_call_ids did not have response messages: ${[...open].join(', ')}`
    open = new Set(((calls ?? []) as readonly Item[]).map((call) => call['id']))
  }
  return open.size > 0 ? 'tool_call_ids did not have response messages' : undefined
}

/** So many rounds of a tool after the words of a person. */
function rounds(format: Format, count: number, words = 'Mend the gate.'): readonly Item[] {
  const turn = Array.from({ length: count }, (_, at) => {
    const text = `${at}: the hinge is here. `.repeat(40)
    const input = JSON.stringify({ path: `src/gate-${at}.ts` })
    if (format === 'responses') {
      return [
        { type: 'reasoning', id: `rs_${at}`, summary: [], encrypted_content: `c2VjcmV0${at}` },
        { type: 'function_call', id: `fc_${at}`, call_id: `call_${at}`, name: 'read', arguments: input },
        { type: 'function_call_output', call_id: `call_${at}`, output: text },
      ]
    }
    const call = { id: `call_${at}`, type: 'function', function: { name: 'read', arguments: input } }
    return [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: `call_${at}`, content: text },
    ]
  })
  return [{ role: 'user', content: words }, ...turn.flat()]
}

interface Said {
  readonly items: readonly Item[]
  readonly session?: string
  readonly more?: object
}

async function say(gateway: TestGateway, format: Format, { items, session = 'one', more = {} }: Said): Promise<string> {
  const client = new OpenAI({
    baseURL: `${gateway.url}/assemble/openai/v1`,
    apiKey: 'own',
    maxRetries: 0,
    defaultHeaders: { 'x-foreword-token': gateway.token, ...(session === '' ? {} : { 'session-id': session }) },
  })
  const body = { model: 'gpt-5.5', [fields[format]]: items, ...more }
  if (format === 'responses') return (await client.responses.create({ instructions: 'You help.', ...body })).output_text
  const { choices } = await client.chat.completions.create(body as never)
  return choices[0]?.message.content ?? ''
}

const isNote = (item: Item) => JSON.stringify(item).includes(NOTE_LEAD)
const texts = (items: readonly Item[]) => items.map((item) => JSON.stringify(item))
const keyIn = ({ body }: ReceivedRequest) =>
  (JSON.parse(body.toString()) as { readonly prompt_cache_key?: string }).prompt_cache_key

for (const format of formats) {
  test(`${format}: what fits leaves with its own bytes, and what does not is cut as its vendor accepts it, with the account of it`, async (t) => {
    const { vendor, gateway } = await openGateway(t)
    const [few, many] = [rounds(format, 3), rounds(format, 30)]
    await say(gateway, format, { items: few })
    assert.equal(await say(gateway, format, { items: many }), 'Done.')
    const [small, large] = vendor.received.map(itemsIn)
    assert.deepEqual(small, few)
    assert.ok(large!.length < many.length)
    assert.equal(large!.filter(isNote).length, 1)
    assert.deepEqual([large![0], large!.at(-1)], [many[0], many.at(-1)])
    const [first, second] = await recordedCalls(gateway)
    assert.deepEqual(
      [first, second].map((call) => call!.foreign?.assembled),
      [{ state: 'fits' }, { state: 'cut' }],
    )
    const { manifest } = second!
    assert.ok(manifest.used <= manifest.budget.available, `${manifest.used} of ${manifest.budget.available}`)
    assert.ok(manifest.entries.some(({ layer, outcome }) => layer === 'note' && outcome === 'included'))
    const left = manifest.entries.filter(({ outcome, fullTokens }) => outcome === 'omitted' && fullTokens > 0)
    assert.equal(left.length, (manifest as { readonly cutRecord?: { readonly turns: number } }).cutRecord?.turns)
    assert.equal(first!.session, second!.session)
    const replay = await gateway.runtime.replay(second!.session!)
    assert.deepEqual([replay.calls, replay.identical, replay.wires?.identical], [2, 2, 2])
  })

  test(`${format}: between two cuts each call begins with what the last one sent, after a restart, too`, async (t) => {
    const { vendor, gateway } = await openGateway(t)
    await say(gateway, format, { items: rounds(format, 30) })
    await say(gateway, format, { items: rounds(format, 31) })
    await recordedCalls(gateway)
    const again = await gateway.restart()
    await say(again, format, { items: rounds(format, 32) })
    const [one, two, three] = vendor.received.map((each) => texts(itemsIn(each)))
    assert.deepEqual(two!.slice(0, one!.length), one)
    assert.deepEqual(three!.slice(0, two!.length), two)
    const isCut = (call: CallRecord) => 'cutRecord' in call.manifest
    assert.deepEqual((await recordedCalls(again)).map(isCut), [true, false, false])
  })

  test(`${format}: a history that its program has edited is recognised, and the cuts before are forgotten`, async (t) => {
    const { vendor, gateway } = await openGateway(t)
    await say(gateway, format, { items: rounds(format, 30) })
    const fits = [rounds(format, 1)[0]!, { role: 'assistant', content: 'Good.' }, { role: 'user', content: 'And now?' }]
    await say(gateway, format, { items: fits })
    assert.deepEqual(itemsIn(vendor.received[1]!), fits)
    await say(gateway, format, { items: rounds(format, 30), session: 'two' })
    // The second round is taken out.
    const edited = format === 'responses' ? rounds(format, 30).toSpliced(4, 3) : rounds(format, 30).toSpliced(3, 2)
    await say(gateway, format, { items: edited, session: 'two' })
    const calls = await recordedCalls(gateway)
    assert.deepEqual(
      calls.map(({ foreign }) => foreign?.assembled),
      [{ state: 'cut' }, { state: 'fits', forgotten: true }, { state: 'cut' }, { state: 'cut', forgotten: true }],
    )
  })
}

test('reasoning stays as it is with the call that it belongs to, or leaves with it', async (t) => {
  const { vendor, gateway } = await openGateway(t)
  const items = rounds('responses', 30)
  await say(gateway, 'responses', { items })
  const sent = itemsIn(vendor.received[0]!)
  const reasoning = sent.filter(({ type }) => type === 'reasoning')
  assert.ok(reasoning.length > 0 && reasoning.length < 30)
  for (const item of reasoning) assert.ok(texts(items).includes(JSON.stringify(item)))
  const numbers = (type: string) =>
    sent.filter((item) => item['type'] === type).map(({ id }) => String(id).replace(/\D/g, ''))
  assert.deepEqual(numbers('reasoning'), numbers('function_call'))
})

test('a cut conversation of Responses gets a cache key, the same in each call and its own, where its program sets none', async (t) => {
  const { vendor, gateway } = await openGateway(t)
  const items = (count: number, words?: string) => rounds('responses', count, words)
  await say(gateway, 'responses', { items: items(3) })
  await say(gateway, 'responses', { items: items(30) })
  await say(gateway, 'responses', { items: items(31) })
  await say(gateway, 'responses', { items: items(30, 'Mend the fence.'), session: 'two' })
  await say(gateway, 'responses', { items: items(30), session: '', more: { prompt_cache_key: 'own-key' } })
  await say(gateway, 'chat-completions', { items: rounds('chat-completions', 30), session: 'three' })
  const [fits, first, second, other, own, chat] = vendor.received.map(keyIn)
  assert.deepEqual([fits, own, chat], [undefined, 'own-key', undefined])
  assert.match(first ?? '', /^[0-9a-f]{32}$/)
  assert.equal(second, first)
  assert.notEqual(other, first)
  const calls = await recordedCalls(gateway)
  const replays = await Promise.all([...new Set(calls.map(({ session }) => session!))].map(gateway.runtime.replay))
  for (const { calls: count, wires } of replays) assert.equal(wires?.identical, count)
})

test('a conversation of Responses without ids stays one session over a cut', async (t) => {
  const { gateway } = await openGateway(t)
  for (const count of [3, 30, 31]) await say(gateway, 'responses', { items: rounds('responses', count), session: '' })
  const calls = await recordedCalls(gateway)
  assert.equal(new Set(calls.map(({ session }) => session)).size, 1)
  assert.deepEqual(
    calls.map(({ foreign }) => foreign?.session),
    [undefined, undefined, undefined],
  )
})
