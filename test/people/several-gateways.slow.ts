import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresForTests } from '../session/postgres-for-tests.ts'
import { addPeople, ask, askAny, check, type Gateway, openWorld, type Person, say, TOKEN } from './gateways.ts'

const { options, server: database } = postgresForTests({ connections: 200 })

/** Longer than a test may take. */
const LONG_MS = 300_000

test('every gateway answers for everybody, and each home is at one of them', options, async (t) => {
  const { start, letters } = await openWorld(t, await database().database())
  const first = await start()
  const people = await addPeople(first, ['ann', 'bob', 'carol', 'dave', 'erin', 'finn'])
  const second = await start()
  for (const person of people) await say(() => [second, first], person, `hello of ${person.name}`)
  await check(() => [first, second], people, letters)
  // Both see the same of each, and no two have a home open.
  const places = new Set<string>()
  for (const { token } of people) {
    const [one, other] = await Promise.all(
      [first, second].map((gateway) =>
        ask<{ readonly home: string; readonly started: string }>(gateway, token, '/api/status'),
      ),
    )
    assert.deepEqual(one!.home, other!.home)
    places.add(one!.home.startsWith(first.home) ? 'first' : 'second')
  }
  t.diagnostic(`homes are at: ${[...places].join(' and ')}`)
  // Each gateway says of every home at which one it is.
  for (const gateway of [first, second]) {
    const { gateways } = await ask<{
      readonly gateways: readonly { readonly state: string; readonly people?: readonly string[] }[]
    }>(gateway, TOKEN, '/api/gateways')
    assert.deepEqual(
      gateways.flatMap(({ people: names = [] }) => names).toSorted(),
      people.map(({ name }) => name),
    )
  }
  // The owner is let in everywhere, too, and somebody who is removed is out everywhere.
  const { people: listed } = await ask<{
    readonly people: readonly { readonly name: string; readonly usage: { readonly sessions: number } }[]
  }>(second, TOKEN, '/api/people')
  assert.deepEqual(
    listed.map(({ name, usage }) => [name, usage.sessions]),
    people.map(({ name }) => [name, 1]),
  )
  const response = await fetch(`${second.url}/api/people/ann`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  assert.equal(response.status, 200, await response.text())
  for (const gateway of [first, second]) {
    let status = 200
    while (status !== 401) {
      await sleep(20)
      status = (
        await fetch(`${gateway.url}/api/sessions`, { headers: { authorization: `Bearer ${people[0]!.token}` } })
      ).status
      assert.ok([200, 401, 503].includes(status), String(status))
    }
  }
})

test(
  'nothing of somebody who was removed stays on any machine, and the next of that name begins with nothing',
  options,
  async (t) => {
    const { start } = await openWorld(t, await database().database())
    const first = await start()
    const names = ['ann', 'bob', 'carol', 'dave', 'erin', 'finn']
    const people = await addPeople(first, names)
    const gateways = [first, await start()]
    for (const person of people) await say(() => gateways, person, `hello of ${person.name}`)
    const foldersOf = ({ home }: Gateway) => (existsSync(join(home, 'people')) ? readdirSync(join(home, 'people')) : [])
    const headers = { authorization: `Bearer ${TOKEN}` }
    for (const [index, name] of names.entries()) {
      const { url } = gateways[index % gateways.length]!
      const response = await fetch(`${url}/api/people/${name}`, { method: 'DELETE', headers })
      assert.equal(response.status, 200, await response.text())
    }
    for (const gateway of gateways) while (foldersOf(gateway).length > 0) await sleep(20)
    const again = await addPeople(first, names)
    for (const { token } of again)
      assert.deepEqual((await ask<{ readonly sessions: unknown }>(first, token, '/api/sessions')).sessions, [])
    // Of those who are there now nothing is removed.
    for (const person of again) await say(() => gateways, person, `hello of the next ${person.name}`)
    for (const { token } of again)
      assert.equal(
        (await ask<{ readonly sessions: readonly unknown[] }>(first, token, '/api/sessions')).sessions.length,
        1,
      )
  },
)

test('no request is refused while homes move to gateways that come', { ...options, timeout: 120_000 }, async (t) => {
  const { start } = await openWorld(t, await database().database())
  const gateways = [await start()]
  const people = await addPeople(gateways[0]!, ['ann', 'bob', 'carol', 'dave', 'erin', 'finn', 'gwen', 'hugo'])
  const homes = new Map<string, string>()
  const moved = new Set<string>()
  let asked = 0
  const over = new AbortController()
  const talking = people.map(async ({ name, token }) => {
    while (!over.signal.aborted) {
      // A home that is always in use does not move.
      await sleep((asked * 7) % 300)
      asked += 1
      const gateway = gateways[asked % gateways.length]!
      const turn = asked % 5 === 0 ? { text: `hello ${asked}` } : undefined
      // No gateway freezes here, and on a busy machine a home needs seconds to move: that is not a refusal.
      await ask(gateway, token, turn ? '/api/messages' : '/api/sessions', turn, LONG_MS)
      const { home } = await ask<{ readonly home: string }>(gateway, token, '/api/status', undefined, LONG_MS)
      if ((homes.get(name) ?? home) !== home) moved.add(name)
      homes.set(name, home)
    }
  })
  const coming = async () => {
    for (const most of [2, 3]) {
      const before = moved.size
      gateways.push(await start())
      assert.equal(gateways.length, most)
      while (moved.size === before) await sleep(100)
    }
  }
  await Promise.race([coming(), Promise.all(talking)]).finally(() => over.abort())
  await Promise.all(talking)
  t.diagnostic(`${asked} requests, ${moved.size} homes moved`)
})

test('an answer that one gateway writes is read at another', options, async (t) => {
  const { start } = await openWorld(t, await database().database())
  const [first, second] = [await start(), await start()]
  const [ann] = await addPeople(first, ['ann'])
  const { session, turn } = await askAny<{ readonly session: string; readonly turn: string }>(
    () => [first],
    ann!.token,
    '/api/messages',
    { text: 'hello' },
  )
  for (const gateway of [first, second]) {
    const events = await fetch(`${gateway.url}/api/sessions/${session}/events?turn=${turn}`, {
      headers: { authorization: `Bearer ${ann!.token}` },
    })
    assert.match(events.headers.get('content-type')!, /text\/event-stream/)
    const text = await events.text()
    assert.match(text, /All done\./)
  }
})

test('a file that was uploaded at one gateway is there when another one has the home', options, async (t) => {
  const { start } = await openWorld(t, await database().database())
  const [first, second] = [await start(), await start()]
  const [ann, bob] = await addPeople(first, ['ann', 'bob'])
  const uploaded: { readonly who: Person; readonly id: string }[] = []
  for (const who of [ann!, bob!]) {
    const form = new FormData()
    form.append('file', new Blob([`The note of ${who.name}.`], { type: 'text/plain' }), 'note.txt')
    let response: Response
    do {
      await sleep(20)
      response = await fetch(`${first.url}/api/files`, {
        method: 'POST',
        headers: { authorization: `Bearer ${who.token}` },
        body: form,
      })
    } while (response.status === 503)
    const { files } = (await response.json()) as { readonly files: readonly { readonly id: string }[] }
    uploaded.push({ who, id: files[0]!.id })
  }
  first.child.kill('SIGKILL')
  for (const { who, id } of uploaded) {
    await askAny(() => [second], who.token, '/api/status')
    const response = await fetch(`${second.url}/api/files/${id}/content`, {
      headers: { authorization: `Bearer ${who.token}` },
    })
    assert.equal(await response.text(), `The note of ${who.name}.`)
  }
})

test('what somebody has written of a subject is there at the gateway that has the home next', options, async (t) => {
  const { start } = await openWorld(t, await database().database())
  const gateways = [await start(), await start()]
  const people = await addPeople(gateways[0]!, ['ann', 'bob'])
  const subjects = [...people.map(({ token }) => token), TOKEN]
  for (const token of subjects) {
    await askAny(() => gateways, token, '/api/subjects', { id: 'reef', brief: 'Low at noon.' })
    await askAny(() => gateways, token, '/api/subjects/reef/log', { op: 'looked at the reef' })
  }
  const { home } = await ask<{ readonly home: string }>(gateways[0]!, people[0]!.token, '/api/status')
  const [gone, other] = home.startsWith(gateways[0]!.home) ? gateways : gateways.toReversed()
  gone!.child.kill('SIGKILL')
  for (const token of subjects) {
    const read = await askAny<object>(() => [other!], token, '/api/subjects/reef/context')
    assert.match(JSON.stringify(read), /Low at noon\..*looked at the reef/)
  }
})

test(
  'a gateway that has taken over gives up the connections with which it looked at the store before',
  { ...options, timeout: 120_000 },
  async (t) => {
    const store = await database().database()
    const { start } = await openWorld(t, store)
    const [first, second] = [await start(), await start()]
    const tokenOf = async (gateway: Gateway, name: string) =>
      (await ask<{ readonly token: string }>(gateway, TOKEN, '/api/tokens', { name, scope: 'read' })).token
    // Nobody else has a home here, whose connections would stay.
    const early = await tokenOf(first, 'early')
    // It looks at who may come in.
    while (
      (await fetch(`${second.url}/api/sessions`, { headers: { authorization: `Bearer ${early}` } })).status !== 200
    )
      await sleep(20)
    const connections = async () => {
      const rows = await database().execute(
        `select pid from pg_stat_activity where application_name = 'foreword ${second.child.pid}' and datname = '${/\/(store_\d+)/.exec(store)![1]}'`,
      )
      return rows.map(({ pid }) => Number(pid))
    }
    const before = await connections()
    const waits = new Set(before)
    assert.ok(waits.size >= 2, 'one that waits for the store, and one that reads it')
    first.child.kill('SIGKILL')
    while (!((await (await fetch(`${second.url}/health/ready`)).json()) as { readonly ok?: boolean }).ok)
      await sleep(20)
    // The connection that waited is the one that writes now.
    let kept: readonly number[]
    do {
      await sleep(20)
      kept = (await connections()).filter((pid) => waits.has(pid))
    } while (kept.length > 1)
    // Somebody who comes in by a token that was made since is let in: the lists are those of the store itself.
    assert.ok(await askAny(() => [second], await tokenOf(second, 'late'), '/api/sessions'))
    assert.ok(await askAny(() => [second], early, '/api/sessions'))
  },
)
