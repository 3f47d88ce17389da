import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Runtime } from '../home/features.ts'
import { knownSecrets } from '../../src/platform.ts'
import { RuntimeError } from '../../src/capability.ts'
import { observeFirstReader } from './first-reader.ts'
import { echo, failing, scriptedRuntime, type Script } from './scripted-runtime.ts'
import { type Accepted, eventsOf, parseEvents, served } from './served.ts'

interface Row {
  readonly id: string
  readonly title?: string
  readonly model?: string
  readonly figures?: object
}

interface Rows {
  readonly sessions: readonly Row[]
}

interface View {
  readonly outcome?: unknown
  readonly text: string
}

test('sessions are made, listed, read, given a model and deleted', async () => {
  const { json, request } = served(scriptedRuntime())
  const made = await request('/api/sessions', { body: { title: 'Trip' } })
  assert.equal(made.status, 201)
  const { id } = (await made.json()) as { id: string }
  assert.equal(made.headers.get('location'), `/api/sessions/${id}`)
  assert.equal((await json<Row>(`/api/sessions/${id}`)).title, 'Trip')
  const patch = (model: string | null) => json<Row>(`/api/sessions/${id}`, { method: 'PATCH', body: { model } })
  assert.equal((await patch('ollama/llama3.2')).model, 'ollama/llama3.2')
  assert.equal((await patch(null)).model, undefined)
  assert.equal((await json<Rows>('/api/sessions?limit=5')).sessions.length, 1)
  assert.equal((await json<Rows>('/api/sessions?offset=1')).sessions.length, 0)
  assert.equal((await request(`/api/sessions/${id}`, { method: 'DELETE' })).status, 204)
  assert.equal((await request(`/api/sessions/${id}`, { method: 'DELETE' })).status, 404)
})

test('the memory of a session can be read and deleted, and a session may continue another one', async () => {
  const { json, request } = served(scriptedRuntime())
  const { id } = await json<Row>('/api/sessions', { body: { title: 'Trip' } })
  const path = `/api/sessions/${id}/memory`
  type Memory = { readonly layers: readonly { readonly text: string }[]; readonly forgotten: boolean }
  const shown = await json<Memory>(`${path}?input=Hello`)
  assert.deepEqual([shown.layers[0]?.text, shown.forgotten], ['# Memory\nHello', false])
  assert.equal((await request(path, { method: 'DELETE' })).status, 204)
  assert.equal((await json<Memory>(path)).forgotten, true)
  for (const method of ['GET', 'DELETE']) {
    assert.equal((await request('/api/sessions/none/memory', { method })).status, 404, method)
  }
  assert.equal((await request('/api/sessions', { body: { after: id } })).status, 201)
})

test('a message is accepted with the turn that answers it, and a repeat is the same turn', async () => {
  const runtime = scriptedRuntime()
  const { request, json } = served(runtime)
  const first = await request('/api/messages', { body: { text: 'hello' }, headers: { 'idempotency-key': 'k1' } })
  assert.equal(first.status, 202)
  const accepted = (await first.json()) as Accepted & { repeated: boolean }
  assert.equal(accepted.repeated, false)
  const again = await json('/api/messages', { body: { text: 'hello', idempotencyKey: 'k1' } })
  assert.deepEqual(again, { ...accepted, repeated: true })
  const here = await json(`/api/sessions/${accepted.session}/messages`, {
    body: { text: 'more', model: 'rehearsal' },
  })
  assert.equal(here.session, accepted.session)
  assert.deepEqual(runtime.submitted.at(-1), { text: 'more', session: accepted.session, model: 'rehearsal' })
  const both = await request('/api/messages', {
    body: { text: 'x', idempotencyKey: 'a' },
    headers: { 'idempotency-key': 'b' },
  })
  assert.equal(both.status, 400)
  assert.equal((await request('/api/messages', { body: { text: ' \n' } })).status, 400)
  assert.equal((await request('/api/messages', { body: { text: 'x', session: 'none' } })).status, 404)
})

test('a turn can be waited for, and read with what it said and cost', async () => {
  const { json, request } = served(scriptedRuntime())
  const { session, turn } = await json('/api/messages', { body: { text: 'hello' } })
  const view = await json(`/api/sessions/${session}/turns/${turn}?wait=5000`)
  const expected = {
    session,
    turn,
    outcome: { type: 'completed' },
    text: 'You said: hello',
    calls: [`call-${turn}`],
    totals: { calls: 1, promptTokensBilled: 100, cachedTokensBilled: 40, outputTokensBilled: 20 },
    warnings: [],
  }
  assert.deepEqual(view, expected)
  assert.deepEqual(await json(`/api/sessions/${session}/turns/${turn}`), expected)
  assert.equal((await json<{ turns: Accepted[] }>(`/api/sessions/${session}/turns`)).turns[0]?.turn, turn)
  assert.equal((await request(`/api/sessions/${session}/turns/none`)).status, 404)
  assert.equal((await request(`/api/sessions/none/turns`)).status, 404)
  assert.equal((await request(`/api/sessions/${session}/turns/${turn}?wait=60001`)).status, 400)
})

test('a turn that does not end in time is shown in its current state and can be cancelled', async () => {
  const hanging: Script = ({ turn, append }) => append({ type: 'turn-start', turn })
  const { json, request } = served(scriptedRuntime({ script: hanging }))
  const { session, turn } = await json('/api/messages', { body: { text: 'hello' } })
  const path = `/api/sessions/${session}/turns/${turn}`
  assert.equal((await json<View>(`${path}?wait=20`)).outcome, undefined)
  assert.deepEqual(await json(`${path}/cancel`, { method: 'POST' }), { cancelled: true })
  assert.deepEqual(await json(`${path}/cancel`, { method: 'POST' }), { cancelled: false })
  assert.deepEqual((await json<View>(path)).outcome, { type: 'cancelled' })
  assert.equal((await request(`/api/sessions/${session}/turns/none/cancel`, { method: 'POST' })).status, 404)
})

test('the last turn is taken back, where there is one', async () => {
  const { json, request } = served(scriptedRuntime())
  const { session, turn } = await json('/api/messages', { body: { text: 'hello' } })
  await json(`/api/sessions/${session}/turns/${turn}?wait=5000`)
  assert.deepEqual(await json(`/api/sessions/${session}/undo`, { method: 'POST' }), {
    undone: { session, turn, text: 'hello', head: null },
  })
  assert.equal((await request('/api/sessions/none/undo', { method: 'POST' })).status, 404)
})

test('the log is read in pages', async () => {
  const { json, request } = served(scriptedRuntime())
  const { session, turn } = await json('/api/messages', { body: { text: 'hello' } })
  await json(`/api/sessions/${session}/turns/${turn}?wait=5000`)
  const page = await json<{ entries: { seq: number }[] }>(`/api/sessions/${session}/entries?after=1&limit=2`)
  assert.deepEqual(
    page.entries.map(({ seq }) => seq),
    [2, 3],
  )
  assert.equal((await request('/api/sessions/none/entries')).status, 404)
})

test('the events of a turn end with it', async () => {
  const { json, request } = served(scriptedRuntime())
  const { session, turn } = await json('/api/messages', { body: { text: 'hello' } })
  const response = await request(`/api/sessions/${session}/events?turn=${turn}`)
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
  const events = await eventsOf(response)
  assert.deepEqual(
    events.map(({ id, event }) => `${id} ${event}`),
    [
      '2 entry',
      '3 entry',
      '4 entry',
      '4.1 text-delta',
      '4.2 text-delta',
      '4.3 text-delta',
      '5 entry',
      '6 entry',
      '7 entry',
    ],
  )
  assert.equal(events.at(-1)?.data.entry?.type, 'turn-end')
  assert.ok(events.every(({ id, data }) => data.id === id))
})

test('an interrupted stream resumes after the last event that was seen', async () => {
  const { json, request } = served(scriptedRuntime())
  const { session, turn } = await json('/api/messages', { body: { text: 'hello' } })
  const path = `/api/sessions/${session}/events?turn=${turn}`
  const all = await eventsOf(await request(path))
  for (const [at, { id }] of all.entries()) {
    if (at === all.length - 1) break
    const rest = await eventsOf(await request(`${path}&after=1`, { headers: { 'last-event-id': id! } }))
    assert.deepEqual(rest, all.slice(at + 1))
    assert.deepEqual(await eventsOf(await request(`${path}&after=${id}`)), rest)
  }
  const bad = await request(path, { headers: { 'last-event-id': 'nonsense' } })
  assert.equal(bad.status, 400)
})

test('events of what does not exist are refused before the stream begins', async () => {
  const { json, request } = served(scriptedRuntime())
  const { id } = await json<Row>('/api/sessions', { body: {} })
  assert.equal((await request('/api/sessions/none/events')).status, 404)
  assert.equal((await request(`/api/sessions/${id}/events?turn=none`)).status, 404)
})

test('when a reader disconnects, the turn continues', async () => {
  let left: (() => void) | undefined
  const gone = new Promise<void>((resolve) => (left = resolve))
  const script: Script = async (turn) => {
    turn.append({ type: 'turn-start', turn: turn.turn })
    await gone
    await echo(turn)
  }
  const { json, request } = served(scriptedRuntime({ script }))
  const { session, turn } = await json('/api/messages', { body: { text: 'hello' } })
  const { body } = await request(`/api/sessions/${session}/events?turn=${turn}`)
  const reader = body!.getReader()
  await reader.read()
  await reader.cancel()
  left!()
  assert.equal((await json<View>(`/api/sessions/${session}/turns/${turn}?wait=5000`)).text, 'You said: hello')
})

test('a reader that falls behind is cut off within its bound, and takes it up again', async () => {
  const size = 1000
  const pieces = 200
  const script: Script = ({ turn, append, text }) => {
    append({ type: 'turn-start', turn }, { type: 'assembly', turn, call: 'call-1' })
    for (let piece = 0; piece < pieces; piece++) text('x'.repeat(size))
    append({ type: 'turn-end', turn, outcome: { type: 'completed' } })
  }
  const { runtime, released } = observeFirstReader(scriptedRuntime({ script }))
  const bufferBytes = 10_000
  const { json, request } = served(runtime, { streams: { bufferBytes, stallMs: 30 } })
  const { session, turn } = await json('/api/messages', { body: { text: 'hello' } })
  const path = `/api/sessions/${session}/events?turn=${turn}`
  const slow = await request(path)
  const over = await json<View>(`/api/sessions/${session}/turns/${turn}?wait=5000`)
  assert.deepEqual(over.outcome, { type: 'completed' })
  await released
  let text = ''
  await assert.rejects(async () => {
    for await (const bytes of slow.body!) text += new TextDecoder().decode(bytes)
  }, /fell too far behind/)
  assert.ok(text.length < bufferBytes + 3 * size)

  const seen = parseEvents(text)
  const last = seen.at(-1)?.id
  const rest = await eventsOf(await request(path, last === undefined ? {} : { headers: { 'last-event-id': last } }))
  assert.equal([...seen, ...rest].filter(({ event }) => event === 'text-delta').length, pieces)
})

/** Of which each would have 100 kB, and two are held. */
const READERS = 4

for (const [kind, piece] of [
  ['letters', 'x'.repeat(1_000)],
  ['characters of three bytes', '字'.repeat(334)],
] as const)
  test(`what waits for readers is bounded in all: the one furthest behind is cut off, and takes it up again: ${kind}`, async () => {
    const script: Script = ({ turn, append, text }) => {
      append({ type: 'turn-start', turn }, { type: 'assembly', turn, call: 'call-1' })
      for (let count = 0; count < 100; count++) text(piece)
      append({ type: 'turn-end', turn, outcome: { type: 'completed' } })
    }
    const streams = { bufferBytes: 1_000_000, bufferBytesInAll: 250_000, stallMs: 60_000 }
    const scripted = scriptedRuntime({ script })
    const told = Promise.withResolvers<void>()
    let ended = 0
    const runtime: Runtime = {
      ...scripted,
      async *events(session, options) {
        try {
          yield* scripted.events(session, options)
        } finally {
          if ((ended += 1) === READERS) told.resolve()
        }
      },
    }
    const { json, request } = served(runtime, { streams })
    const { session, turn } = await json('/api/messages', { body: { text: 'hello' } })
    const path = `/api/sessions/${session}/events?turn=${turn}`
    await json<View>(`/api/sessions/${session}/turns/${turn}?wait=5000`)
    ended = 0
    const readers = await Promise.all(Array.from({ length: READERS }, () => request(path)))
    await told.promise
    const texts = await Promise.allSettled(readers.map((reader) => reader.text()))
    const whole = texts.flatMap((read) => (read.status === 'fulfilled' ? [Buffer.byteLength(read.value)] : []))
    assert.ok(whole.length >= 1 && whole.length <= 3, `${whole.length} were held at once`)
    assert.equal((await eventsOf(await request(path))).filter(({ event }) => event === 'text-delta').length, 100)
  })

test('a reader that keeps up reads a long log whole, however small the bound', async () => {
  const script: Script = ({ turn, append, text }) => {
    append({ type: 'turn-start', turn })
    for (let piece = 0; piece < 100; piece++) text('x'.repeat(1000))
    append({ type: 'turn-end', turn, outcome: { type: 'completed' } })
  }
  const { json, request } = served(scriptedRuntime({ script }), { streams: { bufferBytes: 5000, stallMs: 5000 } })
  const { session, turn } = await json('/api/messages', { body: { text: 'hello' } })
  const events = await eventsOf(await request(`/api/sessions/${session}/events?turn=${turn}`))
  assert.equal(events.length, 103)
})

test('a stream with nothing to say says that it is still there', async () => {
  const { json, request } = served(scriptedRuntime(), { streams: { heartbeatMs: 5 } })
  const { id } = await json<Row>('/api/sessions', { body: {} })
  const { body } = await request(`/api/sessions/${id}/events?after=live`)
  const reader = body!.getReader()
  const { value } = await reader.read()
  assert.equal(new TextDecoder().decode(value), ': still here\n\n')
  await reader.cancel()
})

test('an event and an answer of megabytes come in parts, whole, with nothing in between', async () => {
  const { json, request } = served(scriptedRuntime(), { streams: { heartbeatMs: 1 } })
  const said = `${'The "tide"\n'.repeat(60_000)}😀`
  const { session, turn } = await json('/api/messages', { body: { text: said } })
  const response = await request(`/api/sessions/${session}/events?turn=${turn}`)
  const sizes: number[] = []
  let text = ''
  const decoder = new TextDecoder()
  for await (const bytes of response.body!) {
    sizes.push(bytes.byteLength)
    text += decoder.decode(bytes, { stream: true })
  }
  assert.ok(parseEvents(text).some(({ data }) => JSON.stringify(data).includes(JSON.stringify(said))))
  assert.ok(sizes.length > said.length / 65_536)
  const page = await request(`/api/sessions/${session}/entries`)
  assert.ok((await page.text()).includes(JSON.stringify(said)))
})

test('ending all streams ends them in order', async () => {
  const { json, request, server } = served(scriptedRuntime())
  const { id } = await json<Row>('/api/sessions', { body: {} })
  const response = await request(`/api/sessions/${id}/events`)
  setImmediate(server.endStreams)
  assert.equal((await eventsOf(response)).length, 1)
})

test('a failed turn is an event like any other', async () => {
  const { json, request } = served(scriptedRuntime({ script: failing('auth', 'The key is invalid.') }))
  const { session, turn } = await json('/api/messages', { body: { text: 'hello' } })
  const events = await eventsOf(await request(`/api/sessions/${session}/events?turn=${turn}`))
  assert.deepEqual(events.at(-1)?.data.entry?.outcome, { type: 'failed', code: 'auth', message: 'The key is invalid.' })
})

test('calls are listed in brief and read with their manifest, as JSON or as an outline', async () => {
  const { json, request } = served(scriptedRuntime())
  const { session, turn } = await json('/api/messages', { body: { text: 'hello' } })
  await json(`/api/sessions/${session}/turns/${turn}?wait=5000`)
  const { calls } = await json<{ calls: Row[] }>(`/api/sessions/${session}/calls`)
  assert.deepEqual(calls, [
    {
      id: `call-${turn}`,
      time: '2026-11-20T10:00:00.000Z',
      model: 'rehearsal',
      requestDigest: 'd'.repeat(64),
      layout: 'auto',
      used: 12,
      available: 900,
      figures: { basis: 'counted', total: 12, window: 1000 },
    },
  ])
  const path = `/api/calls/${calls[0]!.id}`
  const record = await json<{ manifest: unknown }>(path)
  assert.deepEqual(await json(`${path}/manifest`), { ...(record.manifest as object), figures: calls[0]!.figures })
  const outline = await request(`${path}/manifest?format=outline`)
  assert.match(outline.headers.get('content-type') ?? '', /^text\/plain/)
  assert.match(await outline.text(), /^window 1000, reserve 100: used 12 of 900\n/)
  assert.equal((await json<{ identical: boolean }>(`${path}/request`)).identical, true)
  const { commonPrefix } = await json<{ commonPrefix: unknown }>(`/api/diff?before=a&after=b`)
  assert.deepEqual(commonPrefix, { tokens: 12, pieces: 1 })
  assert.equal((await json<{ identical: number }>(`/api/sessions/${session}/replay`)).identical, 1)
  for (const missing of ['/api/calls/x', '/api/calls/x/manifest', '/api/calls/x/request', '/api/sessions/x/calls']) {
    assert.equal((await request(missing)).status, 404, missing)
  }
})

test('the next call can be looked at before it is made', async () => {
  const { json } = served(scriptedRuntime())
  const posted = await json<{ request: { messages: unknown } }>('/api/context', { body: { input: 'hello' } })
  assert.deepEqual(posted.request.messages, [{ role: 'user', content: 'hello' }])
  assert.deepEqual(await json('/api/context?input=hello'), posted)
})

test('status, models, configuration and reload are there', async () => {
  const endpoint = 'http://collector.example/?key='
  const configuration = () => ({ gateway: { token: '(set)' }, telemetry: { endpoint: `${endpoint}written-in-it` } })
  const secrets = knownSecrets({ 'secret in telemetry.endpoint': 'written-in-it' })
  const { json } = served(scriptedRuntime(), { configuration, secrets })
  assert.equal((await json<{ model: Row }>('/api/status')).model.id, 'rehearsal')
  assert.equal((await json<{ models: Row[] }>('/api/models')).models.length, 2)
  assert.deepEqual(await json('/api/configuration'), {
    gateway: { token: '(set)' },
    telemetry: { endpoint: `${endpoint}[secret in telemetry.endpoint]` },
  })
  assert.deepEqual(await json('/api/reload', { method: 'POST' }), { warnings: [] })
})

test('/health needs no token, and is 503 once the store takes nothing more', async () => {
  const health = async (failed?: Promise<unknown>) => {
    const runtime = scriptedRuntime()
    const { request } = served({ ...runtime, store: { ...runtime.store, ...(failed && { failed }) } })
    await failed
    const answer = await request('/health', { headers: { authorization: '' } })
    return [answer.status, await answer.json()]
  }
  assert.deepEqual(await health(), [200, { ok: true }])
  const message = 'The disk failed, and nothing more is stored. The gateway is stopping.'
  assert.deepEqual(await health(Promise.resolve()), [503, { ok: false, error: { code: 'storage', message } }])
})

test('/health/live always answers, and /health/ready says by a code why no message would be accepted', async () => {
  const health = async (path: string, why?: RuntimeError) => {
    const { request } = served({ ...scriptedRuntime(), unready: async () => why })
    const answer = await request(path, { headers: { authorization: '' } })
    return [answer.status, answer.headers.get('retry-after'), await answer.json()]
  }
  const full = new RuntimeError('storage-full', 'The disk is full, and nothing can be stored.')
  assert.deepEqual(await health('/health/ready'), [200, null, { ok: true }])
  assert.deepEqual(await health('/health/live', full), [200, null, { ok: true }])
  const { code, message } = full
  assert.deepEqual(await health('/health/ready', full), [503, '5', { error: { code, message } }])
})
