import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresForTests } from '../session/postgres-for-tests.ts'
import { addPeople, ask, check, type Gateway, openWorld, type Person, TOKEN } from './gateways.ts'

const { options, server: database } = postgresForTests({ connections: 300 })

const isLong = process.env['CASES'] === 'all'
const PEOPLE = Number(process.env['PEOPLE'] ?? (isLong ? 16 : 8))
/** How many messages come between two restarts. */
const BETWEEN = Number(process.env['BETWEEN'] ?? (isLong ? 60 : 25))
/** How often both gateways are restarted. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 1)
/** The folder of a checkout of an earlier Foreword, whose gateways give way to those of this one. */
const OLDER = process.env['OLDER']
const earlier = OLDER === undefined ? {} : { checkout: OLDER }
const later = { tables: OLDER === undefined ? 'more' : '' }

test(
  'each gateway gives way to one of a later version while people talk: whoever tries again after a 503 sees no failure',
  { ...options, timeout: 1_800_000 },
  async (t) => {
    const store = await database().database()
    const { start, letters } = await openWorld(t, store)
    const gateways: Gateway[] = [await start(earlier), await start(earlier)]
    const names = Array.from({ length: PEOPLE }, (_, index) => `person-${index}`)
    const people: readonly Person[] = await addPeople(gateways[0]!, names)
    const front = await openFront(t, () => gateways)
    const seen = { sent: 0, refused: 0, longest: 0, isOver: false }
    const failures: string[] = []
    let phase = 'before'
    const waiting = new Set<{ readonly until: number; readonly resolve: () => void }>()

    /** Asks until the answer is another one than 503, which is what a client does. */
    async function steady<Answer>(token: string, path: string, body?: unknown): Promise<Answer> {
      for (;;) {
        const began = performance.now()
        const response = await fetch(`${front.url}${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(60_000),
        })
        const text = await response.text()
        if (response.ok) return JSON.parse(text) as Answer
        if (response.status === 503) seen.refused += 1
        else
          failures.push(
            `${phase}: ${path} ${response.status} after ${Math.round(performance.now() - began)} ms: ${text}`,
          )
        await sleep(100)
      }
    }
    const talking = people.map(async (person) => {
      while (!seen.isOver) {
        const began = performance.now()
        const word = `${person.name} ${person.said.length}`
        const body = { text: word, idempotencyKey: word, ...(person.session && { session: person.session }) }
        const accepted = await steady<{ readonly session: string; readonly turn: string }>(
          person.token,
          '/api/messages',
          body,
        )
        person.session ??= accepted.session
        person.said.push(word)
        seen.longest = Math.max(seen.longest, performance.now() - began)
        const path = `/api/sessions/${person.session}/turns/${accepted.turn}?wait=2000`
        while ((await steady<{ readonly outcome?: object }>(person.token, path)).outcome === undefined);
        seen.sent += 1
        for (const each of waiting) if (seen.sent >= each.until) each.resolve()
      }
    })
    /** Resolves once so many more messages were answered. */
    async function more(messages: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      const each = { until: seen.sent + messages, resolve }
      waiting.add(each)
      await promise
      waiting.delete(each)
    }

    await more(BETWEEN)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const at of [0, 1]) {
        const { child } = gateways[at]!
        const [began, before] = [performance.now(), seen.sent]
        phase = `gateway ${at + 1} ends`
        child.kill('SIGTERM')
        const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
        assert.deepEqual([code, signal], [0, null], 'it ends in order')
        t.diagnostic(
          `gateway ${at + 1} ended after ${Math.round(performance.now() - began)} ms; ${seen.sent - before} messages were answered meanwhile`,
        )
        phase = `gateway ${at + 1} has ended`
        await more(BETWEEN)
        phase = `gateway ${at + 1} starts`
        gateways[at] = await start(later)
        phase = `gateway ${at + 1} has started`
        await more(BETWEEN)
      }
    }
    seen.isOver = true
    await Promise.all(talking)
    const { unknown } = await check(() => gateways, people, letters)
    t.diagnostic(
      `${seen.sent} messages, ${seen.refused} answers of 503, longest until accepted ${Math.round(seen.longest)} ms, ${front.resets()} connections that were lost with a port, ${unknown} turns of which the log says that nobody knows`,
    )
    assert.deepEqual(failures, [])
    // Every home has the tables of the later version by now, and is at one of the gateways.
    const { gateways: rows } = await ask<{ readonly gateways: readonly { readonly people?: readonly string[] }[] }>(
      gateways[0]!,
      TOKEN,
      '/api/gateways',
    )
    assert.deepEqual(rows.flatMap(({ people: at = [] }) => at).toSorted(), names.toSorted())
  },
)

/** A web server in front: one gateway after the other, and the next one where a connection is refused. It asks nobody who is ready. */
async function openFront(t: TestContext, gateways: () => readonly Gateway[]) {
  let turn = 0
  const agent = new Agent({ keepAlive: true })
  let resets = 0
  const server = createServer((incoming, outgoing) => {
    turn += 1
    const from = turn
    void buffer(incoming).then((body) => pass({ incoming, body }, outgoing, from, 0))
  })
  function pass(message: Message, outgoing: ServerResponse, from: number, tries: number): void {
    const all = gateways()
    const { hostname, port } = new URL(all[(from + tries) % all.length]!.url)
    const { method, url: path, headers } = message.incoming
    const upstream = request({ hostname, port, method, path, headers, agent })
    upstream.once('response', (response) => {
      outgoing.writeHead(response.statusCode!, response.headers)
      response.on('error', () => outgoing.destroy()).pipe(outgoing)
    })
    upstream.once('error', (error: NodeJS.ErrnoException) => {
      // As the guide has it for nginx (`error non_idempotent`): messages have a key. The port of a gateway that ends may have a connection
      // that it has not seen, and a request may cross the end of one that was kept.
      if (error.code === 'ECONNRESET') resets += 1
      if (tries < all.length && !outgoing.headersSent) return pass(message, outgoing, from, tries + 1)
      if (outgoing.headersSent) return void outgoing.destroy()
      outgoing.writeHead(502).end(error.message)
    })
    upstream.end(message.body)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
    agent.destroy()
  })
  return { url: `http://127.0.0.1:${(server.address() as { readonly port: number }).port}`, resets: () => resets }
}

interface Message {
  readonly incoming: IncomingMessage
  readonly body: Buffer
}
