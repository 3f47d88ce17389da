import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { systemClock } from '../platform.ts'
import { createForwarder, type ForwardOptions, headersOf, writeResponse } from './forward.ts'

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
      suspect: () => {},
      isGone: () => false,
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
