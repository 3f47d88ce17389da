import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openedHome } from '../home/opened-home.ts'
import { served } from './served.ts'

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

for (const [path, body, more] of [
  ['/api/messages', { text: 'Hello.' }, {}],
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hello.' }] }, { 'x-foreword-session': 'new' }],
  ['/api/chat', { id: 'chat', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }] }, {}],
] as const) {
  test(`the trace of a request to ${path} is kept with the message, and nothing that is none`, async (t) => {
    const { runtime } = await openedHome(t)
    const { server, request } = served(runtime, {})
    t.after(() => server.endStreams())
    for (const traceparent of [TRACE, 'not a trace']) {
      const id = traceparent === TRACE ? 'first' : 'second'
      const sent = 'id' in body ? { ...body, id } : body
      const response = await request(path, { body: sent, headers: { ...more, traceparent } })
      assert.ok(response.ok, await response.clone().text())
      await response.text()
    }
    const sessions = (await runtime.store.sessions()).toReversed()
    const inputs = await Promise.all(sessions.map(({ id }) => runtime.store.entries(id, { types: ['input'] })))
    const traces = inputs.flat().map((entry) => (entry.type === 'input' ? entry.options?.trace : undefined))
    assert.deepEqual(new Set(traces), new Set([TRACE, undefined]))
    assert.equal(traces.length, 2)
  })
}
