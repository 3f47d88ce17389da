import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Entry } from '../../src/session.ts'
import { type ScriptedRequest, scriptedProvider } from '../../src/testing.ts'
import { postgresForTests } from '../session/postgres-for-tests.ts'

const { options, server: database } = postgresForTests({ connections: 200 })

const TOKEN = 'of-several-gateways-on-one-database'
/** How many messages the people send while gateways are ended. */
const TURNS = Number(process.env['TURNS'] ?? 60)

interface Gateway {
  readonly url: string
  readonly child: ChildProcess
  readonly home: string
}

/** `foreword start` on homes of their own over one database, a model that has a letter sent in each turn, and people. */
async function world(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-several-'))
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const provider = await scriptedProvider({ answer })
  t.after(() => provider.close())
  const letters = join(folder, 'letters')
  const environment = {
    ...process.env,
    FOREWORD_STORE: await database().database(),
    FOREWORD_GATEWAY_TOKEN: TOKEN,
    FOREWORD_TEST_LETTERS: letters,
    NO_COLOR: '1',
  }
  const gateways: Gateway[] = []

  async function start(): Promise<Gateway> {
    const home = join(folder, `home-${gateways.length}-${Date.now()}`)
    mkdirSync(home, { recursive: true })
    const configuration = {
      model: 'ollama/scripted',
      providers: { ollama: { kind: 'ollama', baseURL: provider.url } },
      plugins: [join(import.meta.dirname, 'letters.mjs')],
    }
    writeFileSync(join(home, 'config.json'), JSON.stringify(configuration))
    writeFileSync(join(home, 'tool-access.json'), JSON.stringify({ tools: { send_letter: { enabled: true } } }))
    const child = spawn(
      process.execPath,
      ['--conditions=foreword-source', join(import.meta.dirname, '../../bin/foreword.js'), 'start', '--port', '0'],
      { env: { ...environment, FOREWORD_HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    t.after(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'close')
    })
    const url = await new Promise<string>((resolve, reject) => {
      const said: string[] = []
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          said.push(line)
          const address = /(?:Address|Stands by at) +(http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1]
          if (address !== undefined) resolve(address)
        })
      }
      child.once('close', () => reject(new Error(`it ended: ${said.join('\n')}`)))
    })
    const gateway = { url, child, home }
    gateways.push(gateway)
    return gateway
  }

  return { start, letters: () => (existsSync(letters) ? readFileSync(letters, 'utf8').split('\n').slice(0, -1) : []) }
}

function answer({ body }: ScriptedRequest) {
  const messages = body['messages'] as readonly { readonly role: string; readonly content: string }[]
  if (messages.at(-1)?.role === 'tool') return { text: 'All done.', delayMs: 5 }
  const word = messages.findLast(({ role }) => role === 'user')!.content.split('\n')[0]!
  return { toolCalls: [{ name: 'send_letter', input: { of: word } }], delayMs: 5 }
}

async function ask<Answer>({ url }: Gateway, token: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // A gateway that froze with a request in its hands never answers it.
    signal: AbortSignal.timeout(6_000),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

/** The same question until it is answered, at one gateway after the other: a load balancer does no more. */
async function askAny<Answer>(gateways: () => readonly Gateway[], token: string, path: string, body?: unknown) {
  for (let attempt = 0; ; attempt += 1) {
    const all = gateways()
    try {
      return await ask<Answer>(all[attempt % all.length]!, token, path, body)
    } catch (error) {
      if (attempt > 200) throw error
      await sleep(100)
    }
  }
}

interface Person {
  readonly name: string
  readonly token: string
  readonly said: string[]
  session?: string
}

async function addPeople(gateway: Gateway, names: readonly string[]): Promise<readonly Person[]> {
  const people: Person[] = []
  for (const name of names) {
    await ask(gateway, TOKEN, '/api/people', { name })
    const body = { name: `phone-${name}`, scope: 'approve', person: name }
    const { token } = await ask<{ readonly token: string }>(gateway, TOKEN, '/api/tokens', body)
    people.push({ name, token, said: [] })
  }
  return people
}

/** Says a word with a key, so that a repeat after an answer that was lost is no second message. */
async function say(gateways: () => readonly Gateway[], person: Person, word: string): Promise<void> {
  const body = { text: word, idempotencyKey: word, ...(person.session && { session: person.session }) }
  const accepted = await askAny<{ readonly session: string }>(gateways, person.token, '/api/messages', body)
  person.session ??= accepted.session
  assert.equal(accepted.session, person.session)
  person.said.push(word)
}

/** Waits until every turn of everybody has ended, and checks what nobody may lose or do twice. */
async function check(gateways: () => readonly Gateway[], people: readonly Person[], letters: () => readonly string[]) {
  for (const person of people) {
    const path = `/api/sessions/${person.session}`
    const log = async () => {
      const all: Entry[] = []
      for (;;) {
        const last = all.at(-1)?.seq ?? 0
        const { entries: page } = await askAny<{ readonly entries: readonly Entry[] }>(
          gateways,
          person.token,
          `${path}/entries?limit=500&after=${last}`,
        )
        all.push(...page)
        if (page.length < 500) return all
      }
    }
    let entries = await log()
    while (entries.filter(({ type }) => type === 'turn-end').length < person.said.length) {
      await sleep(50)
      entries = await log()
    }
    assert.deepEqual(
      entries.flatMap((entry) => (entry.type === 'input' ? [entry.message.content] : [])),
      person.said,
      `every message of ${person.name} once, in order`,
    )
    for (const entry of entries) if (entry.type === 'turn-end') assert.equal(entry.outcome.type, 'completed')
    const replay = await askAny<{
      readonly different: readonly string[]
      readonly calls: number
      readonly identical: number
    }>(gateways, person.token, `${path}/replay`)
    assert.deepEqual([replay.different, replay.identical], [[], replay.calls])
    const audit = await askAny<{ readonly type: string }>(gateways, person.token, '/api/audit/verify')
    assert.notEqual(audit.type, 'broken')
  }
  const sent = Map.groupBy(letters(), (line) => line)
  for (const [line, times] of sent) assert.equal(times.length, 1, `${line} was sent ${times.length} times`)
}

test('every gateway answers for everybody, and each home is at one of them', options, async (t) => {
  const { start, letters } = await world(t)
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
      status = (
        await fetch(`${gateway.url}/api/sessions`, { headers: { authorization: `Bearer ${people[0]!.token}` } })
      ).status
      assert.ok([200, 401, 503].includes(status), String(status))
    }
  }
})

test('an answer that one gateway writes is read at another', options, async (t) => {
  const { start } = await world(t)
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
  const { start } = await world(t)
  const [first, second] = [await start(), await start()]
  const [ann, bob] = await addPeople(first, ['ann', 'bob'])
  const uploaded: { readonly who: Person; readonly id: string }[] = []
  for (const who of [ann!, bob!]) {
    const form = new FormData()
    form.append('file', new Blob([`The note of ${who.name}.`], { type: 'text/plain' }), 'note.txt')
    let response: Response
    do {
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

test('gateways are killed, frozen and started while people talk', { ...options, timeout: 300_000 }, async (t) => {
  const { start, letters } = await world(t)
  let gateways: readonly Gateway[] = [await start(), await start(), await start()]
  const people = await addPeople(gateways[0]!, ['ann', 'bob', 'carol', 'dave'])
  const each = Math.ceil(TURNS / people.length)
  const waits: number[] = []
  const over = new AbortController()
  const talking = people.map(async (person) => {
    for (let number = 0; number < each; number += 1) {
      const began = performance.now()
      await say(() => gateways, person, `${person.name} ${number}`)
      waits.push(performance.now() - began)
      await sleep(20)
    }
  })
  const breaking = (async () => {
    for (let round = 0; !over.signal.aborted; round += 1) {
      await sleep(700)
      const [one, ...others] = gateways as [Gateway, ...Gateway[]]
      // A load balancer that looks at /health/live asks no more there.
      gateways = others
      one.child.kill(round % 3 === 2 ? 'SIGSTOP' : 'SIGKILL')
      gateways = [...others, await start()]
      if (round % 3 === 2) setTimeout(() => one.child.kill('SIGCONT'), 9_000).unref()
    }
  })()
  await Promise.all(talking)
  over.abort()
  await breaking
  await check(() => gateways, people, letters)
  waits.sort((one, other) => one - other)
  const at = (share: number) => Math.round(waits[Math.min(waits.length - 1, Math.floor(share * waits.length))]!)
  t.diagnostic(
    `${waits.length} messages, ms until accepted: median ${at(0.5)}, 95 of 100 ${at(0.95)}, longest ${at(1)}`,
  )
  assert.equal(waits.length, each * people.length)
})
