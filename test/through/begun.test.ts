import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { open, recordedCalls, send, startGateway, type TestGateway } from './gateway.ts'
import { messagesEvents, startVendor } from './vendor.ts'

const body = JSON.stringify({
  model: 'claude-opus-5-5',
  stream: true,
  messages: [{ role: 'user', content: 'Say hello' }],
  max_tokens: 5,
})

const providersAt = (url: string) => ({ anthropic: { kind: 'anthropic', baseURL: `${url}/v1` } })

test('a call is on record while its answer comes, and who follows its session hears of its end', async (t) => {
  const more = Promise.withResolvers<void>()
  const vendor = await startVendor(t, async (_, outgoing) => {
    const [first, ...others] = messagesEvents('Hello.').split('event: content_block_stop')
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.write(first)
    await more.promise
    outgoing.end(['', ...others].join('event: content_block_stop'))
  })
  const gateway = await startGateway(t, { providers: providersAt(vendor.url) })
  const answer = await open(`${gateway.url}/through/anthropic/v1/messages`, {
    headers: [
      'x-foreword-token',
      gateway.token,
      'x-api-key',
      'own',
      'user-agent',
      'claude-cli/2.1.330 (external, cli)',
    ],
    body,
  })
  const begun = await onlyCall(gateway)
  assert.equal(begun.outcome, undefined)
  assert.equal(begun.foreign?.client, 'claude-code')
  assert.equal(begun.manifest.entries.length > 0, true)
  const sent = await gateway.runtime.request(begun.id, { body: true })
  assert.equal(Buffer.from(sent.body ?? '').toString(), body)
  assert.equal(gateway.runtime.foreign.state().open, 1)
  const outcomes: Promise<unknown>[] = []
  gateway.runtime.store.watch((entries) => {
    for (const entry of entries) {
      if (entry.type === 'foreign-call')
        outcomes.push(gateway.runtime.store.call(entry.call).then((call) => call?.outcome?.foreign?.end))
    }
  })
  more.resolve()
  answer.resume()
  const [ended] = await recordedCalls(gateway)
  assert.equal(ended?.id, begun.id)
  assert.deepEqual(await Promise.all(outcomes), ['whole'])
  const { answer: _, ...end } = ended.outcome!.foreign!
  assert.deepEqual(end, { end: 'whole', status: 200, id: 'msg_1' })
  assert.equal(ended.outcome?.wire?.sha256, createHash('sha256').update(body).digest('hex'))
  assert.equal(
    (await gateway.runtime.foreignSessions.exchanges(ended.session!, { limit: 1 }))[0]?.answer?.text,
    'Hello.',
  )
})

test('what a model can read is the window of its call, where that is known', async (t) => {
  const vendor = await startVendor(t, (_, outgoing) => void outgoing.end('{}'))
  const gateway = await startGateway(t, {
    providers: providersAt(vendor.url),
    configuration: { models: { 'anthropic/claude-opus-5-5': { window: 200_000 } } },
  })
  await send(`${gateway.url}/through/anthropic/v1/messages`, {
    headers: ['x-foreword-token', gateway.token, 'x-api-key', 'own'],
    body,
  })
  const [call] = await recordedCalls(gateway)
  assert.deepEqual(call?.manifest.budget, { window: 200_000, reserve: 0, margin: 0, available: 200_000 })
})

test('a body that is not in the encoding that it names goes on and is kept as it came', async (t) => {
  const vendor = await startVendor(t, (_, outgoing) => void outgoing.end('{}'))
  const gateway = await startGateway(t, { providers: providersAt(vendor.url) })
  const broken = Buffer.from('this was never packed')
  const answer = await send(`${gateway.url}/through/anthropic/v1/messages`, {
    headers: ['x-foreword-token', gateway.token, 'x-api-key', 'own', 'content-encoding', 'gzip'],
    body: broken,
  })
  assert.equal(answer.status, 200)
  assert.deepEqual(vendor.received[0]?.body, broken)
  const [call] = await recordedCalls(gateway)
  assert.equal(call?.manifest.used, 0)
  const sent = await gateway.runtime.request(call.id, { body: true }).catch((error: unknown) => error)
  assert.match(String(sent), /no format that Foreword knows/)
  assert.deepEqual(gateway.warnings, [])
  assert.equal(gateway.runtime.foreign.state().lost, 0)
})

/** The one call of a gateway, as soon as it is on record. */
async function onlyCall({ runtime }: Pick<TestGateway, 'runtime'>) {
  for (;;) {
    const [call] = await runtime.store.findCalls({ limit: 1 })
    if (call) return call
    await setImmediate()
  }
}
