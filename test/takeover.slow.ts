import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayRow } from '../src/session.ts'
import { type ScriptedRequest, scriptedProvider } from '../src/testing.ts'
import { type Gateway, startGateway } from './crash/gateway.ts'
import { postgresForTests } from './session/postgres-for-tests.ts'

const { options, server: database } = postgresForTests()

/** Gateways with a home each over one database, a model that has a letter sent in each turn, and what was sent. */
async function world(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-takeover-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const provider = await scriptedProvider({ answer })
  t.after(() => provider.close())
  const address = await database().database()
  const said: { readonly word: string; readonly session: string }[] = []
  let homes = 0
  return {
    address,
    async start(store = address): Promise<Gateway> {
      homes += 1
      const home = join(folder, `home-${homes}`)
      return startGateway(t, { home, modelUrl: provider.url, store, effects: folder })
    },
    /** Says a word, with the same key again where it was not acknowledged. */
    async say(gateway: Gateway, word: string, session?: string): Promise<string> {
      const turn = await gateway.say(word, session, word)
      if (!said.some((each) => each.word === word)) said.push({ word, session: turn.session })
      return turn.session
    },
    /** Waits until every turn has ended, and checks what nobody may lose or do twice. */
    async check(gateway: Gateway): Promise<void> {
      const sent = letters(folder)
      for (const session of new Set(said.map((each) => each.session))) {
        const words = said.filter((each) => each.session === session).map(({ word }) => word)
        let log = await gateway.log(session)
        while (log.filter(({ type }) => type === 'turn-end').length < words.length) {
          await sleep(20)
          log = await gateway.log(session)
        }
        const inputs = log.flatMap((entry) => (entry.type === 'input' ? [entry.message.content] : []))
        assert.deepEqual(inputs, words, 'every message once, in order')
        assert.deepEqual(
          log.flatMap((entry) => (entry.type === 'turn-end' ? [entry.outcome.type] : [])),
          words.map(() => 'completed'),
        )
        const { different, calls, identical } = await gateway.replay(session)
        assert.deepEqual([different, identical], [[], calls])
      }
      for (const { word } of said) {
        const times = letters(folder).filter((line) => line.includes(`"${word}"`)).length
        assert.ok(times <= 1, `${word} was sent ${times} times`)
      }
      assert.ok(sent.length <= said.length)
    },
    letters: () => letters(folder).length,
  }
}

function answer({ body }: ScriptedRequest) {
  const messages = body['messages'] as readonly { readonly role: string; readonly content: string }[]
  if (messages.at(-1)?.role === 'tool') return { text: 'All done.', delayMs: 5 }
  const word = messages.findLast(({ role }) => role === 'user')!.content.split('\n')[0]!
  return { toolCalls: [{ name: 'send_letter', input: { of: word } }], delayMs: 5 }
}

function letters(folder: string): readonly string[] {
  const file = join(folder, 'letters')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
}

const readiness = async ({ url }: Gateway) => {
  const response = await fetch(`${url}/health/ready`)
  const { error } = (await response.json()) as { readonly error?: { readonly code: string } }
  return error?.code ?? 'ready'
}

async function untilReady(gateway: Gateway): Promise<number> {
  const began = performance.now()
  while ((await readiness(gateway).catch(() => 'refused')) !== 'ready') await sleep(25)
  return performance.now() - began
}

const statesOf = async ({ url }: Gateway) => {
  const { gateways } = (await (await fetch(`${url}/api/gateways`)).json()) as {
    readonly gateways: readonly GatewayRow[]
  }
  return gateways.map(({ address, state }) => ({ address, state }))
}

const KILLS = 6

// Most of their time goes by until a lease is over, so that two of them are lived at a time.
suite('a gateway that takes over', { ...options, concurrency: 2 }, () => {
  test('a gateway that stands by is alive and not ready, and hands on what is for the one that works', async (t) => {
    const { start, say, check } = await world(t)
    const one = await start()
    await one.works()
    const other = await start()
    assert.deepEqual(await readiness(one), 'ready')
    assert.deepEqual(await readiness(other), 'standby')
    assert.equal((await fetch(`${other.url}/health/live`)).status, 200)
    const states = [
      { address: one.url, state: 'active' },
      { address: other.url, state: 'standby' },
    ]
    while ((await statesOf(one)).some(({ address }) => address === undefined)) await sleep(20)
    assert.deepEqual([await statesOf(one), await statesOf(other)], [states, states])
    // It hands on what is for the one that works.
    const handed = await other.say('handed on')
    assert.equal(await one.answer(handed), 'All done.')
    assert.match(await (await fetch(`${other.url}/metrics`)).text(), /^foreword_gateway_active 0$/m)
    assert.match(await (await fetch(`${one.url}/metrics`)).text(), /^foreword_gateway_active 1$/m)
    const session = await say(one, 'first')
    process.kill(one.pid, 'SIGTERM')
    await other.works()
    assert.equal(await one.ended, 0)
    await say(other, 'second', session)
    await check(other)
    assert.match(await (await fetch(`${other.url}/metrics`)).text(), /^foreword_gateway_takeovers_total 1$/m)
  })

  test('gateways that are killed one after the other in the midst of turns', async (t) => {
    const { start, say, check } = await world(t)
    let active = await start()
    await active.works()
    const sessions: string[] = []
    for (let each = 0; each < 4; each += 1) sessions.push(await say(active, `begin-${each}`))
    const times: number[] = []
    for (let round = 0; round < KILLS; round += 1) {
      const next = await start()
      const unsaid: (readonly [string, string])[] = []
      const saying = sessions.map(async (session, of) => {
        for (let number = 0; number < 4; number += 1) {
          const word = `round-${round}-${of}-${number}`
          await say(active, word, session).catch(() => unsaid.push([word, session]))
        }
      })
      await sleep((round * 37) % 150)
      await active.kill()
      times.push(await untilReady(next))
      await Promise.all(saying)
      active = next
      for (const [word, session] of unsaid) await say(active, word, session)
    }
    await check(active)
    times.sort((one, two) => one - two)
    t.diagnostic(`${KILLS} takeovers after SIGKILL, ms: ${times.map(Math.round).join(' ')}`)
  })

  test('a gateway that is frozen for longer than the lease, and wakes', async (t) => {
    const { start, say, check, address } = await world(t)
    const frozen = await start()
    await frozen.works()
    const sessions = await Promise.all(Array.from({ length: 5 }, (_, number) => say(frozen, `before-${number}`)))
    const next = await start()
    await Promise.all(sessions.map((session, number) => say(frozen, `during-${number}`, session)))
    await sleep(15)
    process.kill(frozen.pid, 'SIGSTOP')
    t.diagnostic(`takeover after SIGSTOP, ms: ${Math.round(await untilReady(next))}`)
    await Promise.all(sessions.map((session, number) => say(next, `after-${number}`, session)))
    await check(next)
    const rows = () =>
      database().execute(
        'select (select count(*) from entries) as entries, (select count(*) from calls) as calls, (select count(*) from audit) as audit, (select max(xmin::text::bigint) from entries) as newest',
        /\/(store_\d+)/.exec(address)![1],
      )
    const rowsBefore = await rows()
    process.kill(frozen.pid, 'SIGCONT')
    assert.equal(await frozen.ended, 4)
    await frozen.reaches('failed taken-over' as never, '')
    assert.deepEqual(await rows(), rowsBefore)
    await check(next)
  })

  test('a gateway that is cut off from the database, and reaches it again', async (t) => {
    const { start, say, check, address } = await world(t)
    const network = await droppingNetwork(t, address)
    const cut = await start(network.address)
    await cut.works()
    const session = await say(cut, 'before')
    const next = await start()
    network.drop()
    void say(cut, 'not acknowledged', session).catch(() => {})
    t.diagnostic(`takeover after a partition, ms: ${Math.round(await untilReady(next))}`)
    assert.equal(await readiness(cut), 'standby')
    const refused = await fetch(`${cut.url}/api/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"hello"}',
    })
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5'])
    await say(next, 'after', session)
    await check(next)
    network.heal()
    assert.equal(await cut.ended, 4)
    await check(next)
  })
})

test('a database that is started again in the midst of turns: the gateway that works goes on', options, async (t) => {
  const { start, say, check } = await world(t)
  const active = await start()
  await active.works()
  const other = await start()
  const sessions = await Promise.all(Array.from({ length: 5 }, (_, number) => say(active, `before-${number}`)))
  for (let round = 0; round < 3; round += 1) {
    const saying = sessions.map((session, number) => say(active, `round-${round}-${number}`, session))
    await database().restart()
    await Promise.all(saying)
  }
  await check(active)
  assert.deepEqual([await readiness(active), await readiness(other)], ['ready', 'standby'])
})

/** A way to the database that can drop everything without closing a connection. */
async function droppingNetwork(t: TestContext, address: string) {
  const folder = new URL(address.replace('@/', '@host/')).searchParams.get('host')!
  const pairs: { readonly near: Socket; readonly far: Socket }[] = []
  let drops = false
  const server = createServer((near) => {
    const far = connect(`${folder}/.s.PGSQL.5432`)
    pairs.push({ near, far })
    near.on('error', () => {})
    far.on('error', () => {})
    near.on('data', (bytes) => drops || far.write(bytes))
    far.on('data', (bytes) => drops || near.write(bytes))
    near.on('close', () => far.destroy())
    far.on('close', () => drops || near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const { near, far } of pairs) for (const socket of [near, far]) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { readonly port: number }
  return {
    address: `postgres://foreword@127.0.0.1:${port}/${/\/(store_\d+)/.exec(address)![1]!}`,
    drop: () => (drops = true),
    /** What was lost on the way stays lost: those connections are reset. */
    heal() {
      drops = false
      for (const { near } of pairs.splice(0)) near.resetAndDestroy()
    },
  }
}
