import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { systemClock } from '../platform.ts'
import { createForwarder, type ForwardOptions, headersOf, writeResponse } from './forward-to-gateway.ts'

async function listening(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Two gateways, of which the first hands on what is for the owner, or for `ann`, to the second: what that one is asked. */
async function twoGateways(t: TestContext, drops: ForwardOptions['headersToDrop']) {
  const second = await listening(t, ({ url, headers }, outgoing) => void outgoing.end(JSON.stringify({ url, headers })))
  const elsewhere = await listening(t, (_, outgoing) => void outgoing.end('"the gateway of ann"'))
  const forwarder = createForwarder({
    clock: systemClock,
    homes: {
      place: async () => ({ elsewhere }),
      hold: () => () => {},
      isOpen: () => true,
      suspect: () => {},
      isGone: () => false,
      isLost: () => false,
      isCutOff: () => false,
    },
    personOf: (incoming) => headersOf(incoming).get('cookie') ?? undefined,
    ownersGateway: () => second,
    headersToDrop: drops,
    refuse: (sockets, error) => void writeResponse(sockets, new Response(String(error), { status: 503 })),
  })
  return listening(t, (incoming, outgoing) => forwarder.pass({ incoming, outgoing }, () => outgoing.end('"here"')))
}

test('what names a person and was not believed here is not handed on, however it is written and often it comes', async (t) => {
  const first = await twoGateways(t, () => ['x-forwarded-user'])
  const headers: [string, string][] = [
    ['X-Forwarded-User', 'ann'],
    ['x-forwarded-user', 'bob'],
    ['x-other', 'stays'],
  ]
  const asked = (await (await fetch(`${first}/api/token`, { headers })).json()) as {
    readonly headers: Readonly<Record<string, string>>
  }
  assert.equal(asked.headers['x-forwarded-user'], undefined)
  assert.equal(asked.headers['x-other'], 'stays')
})

test('a sign-in is at the gateway of the owner, also for a browser that is signed in', async (t) => {
  const first = await twoGateways(t, () => [])
  const ask = async (path: string) => (await fetch(`${first}${path}`, { headers: { cookie: 'ann' } })).json()
  assert.equal(await ask('/api/token'), 'the gateway of ann')
  assert.equal(await ask('/sign-ins'), 'the gateway of ann')
  for (const path of ['/sign-in', '/sign-in?to=/', '/sign-in/done?code=c&state=s'])
    assert.equal(((await ask(path)) as { readonly url: string }).url, path)
})

/** A gateway that hands on what is for the owner and for Ann, and what it is to find out about the others while it does. */
async function forwarding(t: TestContext, other: RequestListener) {
  const at = await listening(t, other)
  const found = { isLost: false, isCutOff: false, isHere: false, isOpen: true }
  const forwarder = createForwarder({
    clock: systemClock,
    homes: {
      place: async () => (found.isHere ? { runtime: undefined as never } : { elsewhere: at }),
      hold: () => () => {},
      isOpen: () => found.isOpen,
      suspect: () => {},
      isGone: () => found.isLost,
      isLost: () => found.isLost,
      isCutOff: () => found.isCutOff,
    },
    personOf: (incoming) => headersOf(incoming).get('cookie') ?? undefined,
    ownersGateway: () => (found.isHere ? undefined : at),
    headersToDrop: () => [],
    refuse: (sockets, error) => void writeResponse(sockets, new Response(String(error), { status: 503 })),
  })
  const reached = Promise.withResolvers<void>()
  const url = await listening(t, (incoming, outgoing) =>
    forwarder.pass({ incoming, outgoing }, () => reached.resolve()),
  )
  return { url, found, reached: reached.promise }
}

test('a request that a gateway has in its hands is refused once that gateway is lost, and so is the next one at once', async (t) => {
  const asked = Promise.withResolvers<void>()
  const { url, found } = await forwarding(t, () => asked.resolve())
  const answer = fetch(url)
  await asked.promise
  found.isLost = true
  assert.equal((await answer).status, 503)
  assert.equal((await fetch(url)).status, 503)
})

test('what streams from a gateway ends once that gateway is lost', async (t) => {
  const { url, found } = await forwarding(t, (_, outgoing) => void outgoing.write('the beginning'))
  const answer = await fetch(url)
  found.isLost = true
  await assert.rejects(answer.text())
})

test('a gateway that its database does not answer ends what waits for it, and refuses everything but questions about its health', async (t) => {
  const { url, found, reached } = await forwarding(t, () => {})
  found.isHere = true
  const answer = fetch(url)
  await reached
  found.isCutOff = true
  await assert.rejects(answer)
  assert.equal((await fetch(`${url}/api/status`)).status, 503)
  await assert.rejects(fetch(`${url}/health/ready`), 'it came to the gateway itself, which says nothing here')
})

test('what waits for the home of a person ends once that home is not here any more', async (t) => {
  const { url, found, reached } = await forwarding(t, () => {})
  found.isHere = true
  const answer = fetch(url, { headers: { cookie: 'ann' } })
  await reached
  found.isOpen = false
  await assert.rejects(answer)
})

test('a request that comes back from a gateway where the home was is handed on, and not for ever', async (t) => {
  const { url } = await forwarding(t, ({ headers }, outgoing) => void outgoing.end(headers['x-foreword-forwarded']))
  const ask = (hops: number) =>
    fetch(url, { headers: { cookie: 'ann', ...(hops > 0 && { 'x-foreword-forwarded': String(hops) }) } })
  for (const hops of [0, 1, 2, 3]) assert.equal(await (await ask(hops)).text(), String(hops + 1))
  assert.equal((await ask(4)).status, 503)
})
