import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Entry } from '../../src/session.ts'
import { type ScriptedRequest, scriptedProvider } from '../../src/testing.ts'
import { foreword, memoryFlags, sourceForeword, startEnvironment } from '../kit/started-program.ts'

/** The token of the owner. */
export const TOKEN = 'of-several-gateways-on-one-database'

/** Letters are sent without a question, also by who has read what others have written. */
const ACCESS = { global: { mode: 'full' }, tools: { '*': { afterUntrusted: 'allow' } } }

interface StartOptions {
  readonly ways?: boolean
  readonly tables?: string
  readonly checkout?: string
  readonly again?: Pick<Gateway, 'home'>
  readonly environment?: Readonly<Record<string, string>>
}

/** A `foreword start` of its own. */
export interface Gateway {
  readonly url: string
  readonly child: ChildProcess
  readonly home: string
  /** Fails, with every line that it has printed, where it has ended. */
  assertRuns(): void
  /** Its way to the database, where it has one of its own. */
  readonly toDatabase?: Way
  /** The way of the other gateways to it, where they have one of their own. */
  readonly toGateway?: Way
  /** Sets its wall clock ahead by so many ms, or behind. */
  setClock(offset: number): void
  /** Runs a command on its machine. Resolves with what it printed. */
  foreword(...words: readonly string[]): Promise<string>
}

/** `foreword start` on homes of their own over one database (its address), a model that has a letter sent in each turn, and people. */
export async function openWorld(
  t: TestContext,
  store: string,
  /** The bot that all of them have, where they have one. */
  bot?: { readonly url: string; readonly token: string },
) {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-several-'))
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const provider = await scriptedProvider({ answer })
  t.after(() => provider.close())
  const letters = join(folder, 'letters')
  let started = 0

  /**
   * With `ways`, what it says to the database, and others to it, can be lost. `tables`: of a later Foreword, which changes these. `checkout`: of
   * another one. `again`: over the home of one that has ended.
   */
  async function start({
    ways = false,
    tables = '',
    checkout,
    again,
    environment: own = {},
  }: StartOptions = {}): Promise<Gateway> {
    started += 1
    const home = again?.home ?? join(folder, `home-${started}`)
    const clock = join(folder, `clock-${started}`)
    mkdirSync(home, { recursive: true })
    const toDatabase = ways ? await openWay(t, () => connect(`${socketFolder(store)}/.s.PGSQL.5432`)) : undefined
    let port: number | undefined
    const toGateway = ways ? await openWay(t, () => connect(port!, '127.0.0.1')) : undefined
    const configuration = {
      model: 'ollama/scripted',
      providers: { ollama: { kind: 'ollama', baseURL: provider.url } },
      plugins: [join(import.meta.dirname, 'letters.mjs')],
      ...(bot && { channels: { telegram: { tokenFile: 'bot-token', apiRoot: bot.url } } }),
      ...(toGateway && { gateway: { peerAddress: `http://127.0.0.1:${toGateway.port}` } }),
    }
    if (!again) {
      writeFileSync(join(home, 'config.json'), JSON.stringify(configuration))
      writeFileSync(join(home, 'tool-access.json'), JSON.stringify(ACCESS))
    }
    if (bot) writeFileSync(join(home, 'bot-token'), bot.token)
    const environment = {
      ...process.env,
      ...startEnvironment,
      FOREWORD_STORE: toDatabase ? `postgres://foreword@127.0.0.1:${toDatabase.port}/${databaseOf(store)}` : store,
      FOREWORD_GATEWAY_TOKEN: TOKEN,
      FOREWORD_HOME: home,
      FOREWORD_TEST_LETTERS: letters,
      TEST_CLOCK: clock,
      TEST_TABLES: tables,
      NO_COLOR: '1',
      ...own,
    }
    const [clockLoader, laterLoader] = ['shifted-clock.mjs', '../session/later-version.mjs'].map((path) =>
      join(import.meta.dirname, path),
    )
    const preloads = [clockLoader!, ...(tables === '' ? [] : [laterLoader!])].flatMap((path) => ['--import', path])
    // What is changed before it starts is its source.
    const path =
      checkout === undefined ? (tables === '' ? foreword : sourceForeword) : join(checkout, 'bin/foreword.js')
    const program = [...memoryFlags, ...preloads, '--conditions=foreword-source', path]
    const child = spawn(process.execPath, [...program, 'start', '--port', '0'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.after(async () => {
      if (hasEnded(child)) return
      child.kill('SIGKILL')
      await once(child, 'close')
    })
    const said: string[] = []
    const url = await new Promise<string>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          said.push(line)
          const address = /(?:Address|Stands by at) +(http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1]
          if (address !== undefined) resolve(address)
        })
      }
      child.once('close', () => reject(new Error(`it ended: ${said.join('\n')}`)))
    })
    port = Number(new URL(url).port)
    return {
      url,
      child,
      home,
      assertRuns: () => assert.ok(!hasEnded(child), `it ended: ${said.join('\n')}`),
      ...(toDatabase && { toDatabase }),
      ...(toGateway && { toGateway }),
      setClock: (offset) => writeFileSync(clock, String(offset)),
      foreword: async (...words) =>
        (await promisify(execFile)(process.execPath, [...program, ...words], { env: environment })).stdout,
    }
  }

  return { start, letters: () => (existsSync(letters) ? readFileSync(letters, 'utf8').split('\n').slice(0, -1) : []) }
}

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

export const socketFolder = (store: string) => new URL(store.replace('@/', '@host/')).searchParams.get('host')!
export const databaseOf = (store: string) => /\/(store_\d+)/.exec(store)![1]!

function answer({ body }: ScriptedRequest) {
  const messages = body['messages'] as readonly { readonly role: string; readonly content: string }[]
  if (messages.at(-1)?.role === 'tool') return { text: 'All done.', delayMs: 5 }
  const word = messages.findLast(({ role }) => role === 'user')!.content.split('\n')[0]!
  return { toolCalls: [{ name: 'send_letter', input: { of: word } }], delayMs: 5 }
}

/** A port that leads elsewhere, and can lose everything without closing a connection. */
export type Way = Awaited<ReturnType<typeof openWay>>

export async function openWay(t: Pick<TestContext, 'after'>, onward: () => Socket) {
  const pairs = new Set<{ readonly near: Socket; readonly far: Socket }>()
  let loses = false
  const server = createServer((near) => {
    const pair = { near, far: onward() }
    const { far } = pair
    pairs.add(pair)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => {})
      from.on('data', (bytes) => loses || to.write(bytes))
      from.on('close', () => {
        if (loses) return
        pairs.delete(pair)
        to.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const { near, far } of pairs) for (const socket of [near, far]) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { readonly port: number }
  return {
    port,
    lose: () => void (loses = true),
    /** What was lost stays lost: those connections are reset. */
    heal() {
      loses = false
      for (const { near, far } of pairs) {
        near.resetAndDestroy()
        far.destroy()
      }
      pairs.clear()
    },
  }
}

export async function ask<Answer>(
  { url }: Pick<Gateway, 'url'>,
  token: string,
  path: string,
  body?: unknown,
  // A gateway that froze with a request in its hands never answers it. What looks at a whole session or audit takes its time.
  limitMs = /\/(?:replay|verify)$/.test(path) ? 300_000 : 6_000,
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(limitMs),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

/** The gateways that are asked: those that a load balancer takes for alive. */
type Asked = () => readonly Pick<Gateway, 'url'>[]

/** One question until it is answered, at one gateway after the other: a load balancer does no more. */
export async function askAny<Answer>(
  gateways: Asked,
  token: string,
  path: string,
  body?: unknown,
  /** What each attempt ended with. */
  trace: string[] = [],
): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    const all = gateways()
    const gateway = all[attempt % all.length]!
    const began = performance.now()
    try {
      return await ask<Answer>(gateway, token, path, body)
    } catch (error) {
      trace.push(`${gateway.url} ${Math.round(performance.now() - began)} ms: ${String(error).slice(0, 300)}`)
      if (attempt > 300) throw error
      await sleep(100)
    }
  }
}

/** Somebody who talks, in one session. */
export interface Person {
  readonly name: string
  readonly token: string
  readonly said: string[]
  session?: string
}

export async function addPeople(gateway: Gateway, names: readonly string[]): Promise<readonly Person[]> {
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
export async function say(gateways: Asked, person: Person, word: string, trace?: string[]): Promise<string> {
  const body = { text: word, idempotencyKey: word, ...(person.session && { session: person.session }) }
  const accepted = await askAny<{ readonly session: string; readonly turn: string }>(
    gateways,
    person.token,
    '/api/messages',
    body,
    trace,
  )
  person.session ??= accepted.session
  assert.equal(accepted.session, person.session)
  person.said.push(word)
  return accepted.turn
}

/** Waits for the end of a turn. */
export async function end(gateways: Asked, { token, session }: Person, turn: string, trace?: string[]): Promise<void> {
  const path = `/api/sessions/${session}/turns/${turn}?wait=2000`
  while ((await askAny<{ readonly outcome?: object }>(gateways, token, path, undefined, trace)).outcome === undefined);
}

/**
 * Waits until every turn of everybody has ended, and checks what nobody may lose or do twice. Returns how many letters were sent, and of
 * how many nobody knows: the gateway ended in the midst of it, and the log says so.
 */
export async function check(gateways: Asked, people: readonly Person[], letters: () => readonly string[]) {
  let unknown = 0
  for (const person of people) {
    const path = `/api/sessions/${person.session}`
    let entries = await wholeLog(gateways, person, path)
    while (entries.filter(({ type }) => type === 'turn-end').length < person.said.length) {
      await sleep(50)
      entries = await wholeLog(gateways, person, path)
    }
    const inputs = entries.flatMap((entry) => (entry.type === 'input' ? [entry.message.content] : []))
    assert.deepEqual(inputs, person.said, `every message of ${person.name} once, in order`)
    for (const entry of entries) if (entry.type === 'turn-end') assert.equal(entry.outcome.type, 'completed')
    const sent = Map.groupBy(letters(), (line) => (JSON.parse(line) as { readonly of: string }).of)
    const done = new Set(entries.flatMap((entry) => (entry.type === 'tool-end' && entry.ok ? [entry.turn] : [])))
    for (const entry of entries) {
      if (entry.type !== 'input') continue
      const word = entry.message.content as string
      const times = sent.get(word)?.length ?? 0
      assert.ok(times <= 1, `${word} was sent ${times} times`)
      if (done.has(entry.turn)) assert.equal(times, 1, `${word} was sent, as the log says`)
      else unknown += 1
    }
    const replay = await askAny<{
      readonly different: readonly string[]
      readonly calls: number
      readonly identical: number
    }>(gateways, person.token, `${path}/replay`)
    assert.deepEqual([replay.different, replay.identical], [[], replay.calls])
    const audit = await askAny<{ readonly type: string }>(gateways, person.token, '/api/audit/verify')
    assert.notEqual(audit.type, 'broken')
  }
  return { letters: letters().length, unknown }
}

async function wholeLog(gateways: Asked, { token }: Person, path: string): Promise<readonly Entry[]> {
  const all: Entry[] = []
  for (;;) {
    const question = `${path}/entries?limit=500&after=${all.at(-1)?.seq ?? 0}`
    const { entries: page } = await askAny<{ readonly entries: readonly Entry[] }>(gateways, token, question)
    all.push(...page)
    if (page.length < 500) return all
  }
}
