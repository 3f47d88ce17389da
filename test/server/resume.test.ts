import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverSentEvents } from '../../src/cli/turn.ts'
import type { SessionEvent } from '../../src/runtime.ts'
import { listen } from '../../src/server.ts'
import { createTestServer as createServer } from '../home/test-server.ts'
import { assertWhole, busySession } from '../runtime/two-writers.ts'
import { TOKEN } from './served.ts'

test('over HTTP, a reader who is cut off after every event resumes with Last-Event-ID, misses nothing and reads nothing twice', async (t) => {
  const { runtime, session, begin, rest } = await busySession(t)
  const server = createServer(runtime, { token: TOKEN, bind: '127.0.0.1', version: '0.1.0' })
  const { url, close } = await listen(server, { port: 0, bind: '127.0.0.1' })
  t.after(() => close({ graceMs: 0 }))

  const over = new AbortController()
  async function* events(after: string | undefined): AsyncGenerator<SessionEvent> {
    const response = await fetch(`${url}/api/sessions/${session}/events`, {
      headers: { authorization: `Bearer ${TOKEN}`, ...(after === undefined ? {} : { 'last-event-id': after }) },
      signal: over.signal,
    })
    for await (const { id, data } of serverSentEvents(response.body!)) {
      const event = JSON.parse(data) as SessionEvent
      assert.equal(id, event.id)
      yield event
    }
  }
  const cut: SessionEvent[] = []
  const steady: SessionEvent[] = []
  const reading = Promise.allSettled([
    (async () => {
      for (;;) {
        for await (const event of events(cut.at(-1)?.id)) {
          cut.push(event)
          break
        }
      }
    })(),
    (async () => {
      for await (const event of events(undefined)) steady.push(event)
    })(),
  ])
  await begin()
  const log = await rest
  const last = log.at(-1)!.seq
  const isWhole = (seen: readonly SessionEvent[]) => seen.some((one) => one.type === 'entry' && one.entry.seq === last)
  while (!isWhole(cut) || !isWhole(steady)) await new Promise(setImmediate)
  over.abort()
  const ends = await reading
  assert.ok(ends.every((end) => end.status === 'rejected' && end.reason.name === 'AbortError'))
  assertWhole(cut, log)
  assertWhole(steady, log)
})
