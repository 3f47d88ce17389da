import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnForeword } from '../cli/gateway-process.ts'
import { temporaryHome } from '../cli/home.ts'
import { open, recordedCalls, send, startGateway } from './gateway.ts'
import { messagesEvents, startVendor, type Vendor } from './vendor.ts'

const body = JSON.stringify({
  model: 'claude-opus-5-5',
  stream: true,
  messages: [{ role: 'user', content: 'Say hello' }],
  max_tokens: 5,
})

test('a gateway that is killed in the middle of an answer has the call on record, and says that its end is not known', async (t) => {
  const vendor = await startVendor(t, (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.write(messagesEvents('Hello.').split('event: content_block_stop')[0])
  })
  const { home, providers, start } = homeFor(t, vendor)
  const { gateway, url, token } = await start()
  const answer = await open(`${url}/through/anthropic/v1/messages`, {
    headers: ['x-foreword-token', token, 'x-api-key', 'own', 'user-agent', 'claude-cli/2.1.330 (external, cli)'],
    body,
  })
  answer.on('error', () => {})
  const headers = { authorization: `Bearer ${token}` }
  for (;;) {
    const { calls } = (await (await fetch(`${url}/api/calls`, { headers })).json()) as { calls: readonly unknown[] }
    if (calls.length > 0) break
    await sleep(10)
  }
  gateway.child.kill('SIGKILL')
  await gateway.ended
  const again = await startGateway(t, { home, providers })
  const [call] = await again.runtime.store.findCalls({ limit: 10 })
  assert.equal(call?.outcome, undefined)
  assert.equal(call?.foreign?.client, 'claude-code')
  assert.equal(Buffer.from((await again.runtime.request(call.id, { body: true })).body ?? '').toString(), body)
})

test('calls that were answered under load are on record once, however often the gateway is killed meanwhile', async (t) => {
  const answered = new Set<string>()
  const vendor = await startVendor(t, (request, outgoing) => {
    const { messages } = JSON.parse(request.body.toString()) as { messages: { content: string }[] }
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.end(messagesEvents('Hello.'))
    answered.add(messages.at(-1)!.content)
  })
  const { home, providers, start } = homeFor(t, vendor)
  let sent = 0
  for (let round = 0; round < 6; round += 1) {
    const { gateway, url, token } = await start()
    const before = answered.size
    const ended = Promise.withResolvers<void>()
    const killed = new AbortController()
    const client = async (name: string): Promise<void> => {
      while (!killed.signal.aborted) {
        sent += 1
        const headers = ['x-foreword-token', token, 'x-api-key', 'own', 'user-agent', `client-${name}/1.0`]
        const options = { headers, body: longBody(sent) }
        // What the gateway does with it when it dies is not asked here.
        await send(`${url}/through/anthropic/v1/messages`, options).catch(() => killed.abort())
        // Each round ends after another number of calls: before, while and after some of them are taken apart.
        if (answered.size - before > round * 6) ended.resolve()
      }
    }
    const clients = Array.from({ length: 8 }, (_, at) => client(`${at % 3}`))
    await ended.promise
    gateway.child.kill('SIGKILL')
    await Promise.all([gateway.ended, ...clients])
  }
  const again = await startGateway(t, { home, providers })
  const recorded: string[] = []
  for (const { id } of await recordedCalls(again)) {
    const { body: left } = await again.runtime.request(id, { body: true })
    const { messages } = JSON.parse(Buffer.from(left ?? '').toString()) as { messages: { content: string }[] }
    recorded.push(messages.at(-1)!.content)
  }
  assert.ok(answered.size > 80, `${answered.size} calls were answered`)
  assert.deepEqual(
    Array.from(answered).filter((each) => !recorded.includes(each)),
    [],
  )
  assert.equal(new Set(recorded).size, recorded.length)
  assert.deepEqual(again.warnings, [])
})

/** Of some 100 kB, with another end each time. */
function longBody(number: number): string {
  const messages = Array.from({ length: 30 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `${number % 3} ${at} ${'words of a conversation that goes on '.repeat(90)}`,
  }))
  return JSON.stringify({
    model: 'm',
    stream: true,
    messages: [...messages, { role: 'user', content: `call ${number}` }],
  })
}

/** A home whose provider is a scripted vendor, and the real program over it, as often as it is started. */
function homeFor(t: TestContext, vendor: Vendor) {
  const { home, environment } = temporaryHome(t)
  const providers = { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } }
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.json'), JSON.stringify({ providers }))
  const address = /http:\/\/127\.0\.0\.1:\d+/
  return {
    home,
    providers,
    async start() {
      const gateway = spawnForeword(t, ['start'], { HOME: home, OLLAMA_HOST: '127.0.0.1:1', ...environment })
      const [url] = address.exec(await gateway.line(address)) ?? []
      return { gateway, url, token: readFileSync(join(home, 'data/token'), 'utf8').trim() }
    },
  }
}
