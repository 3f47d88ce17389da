import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BudgetReport } from '../../src/capability.ts'
import { type ScriptedAnswer, type ScriptedRequest, scriptedProvider } from '../../src/testing.ts'
import { foreword, memoryFlags, startEnvironment } from '../kit/started-program.ts'
import { postgresForTests } from '../session/postgres-for-tests.ts'

const { options, server: database } = postgresForTests({ connections: 200 })

const TOKEN = 'of-gateways-that-race-for-money'
/** How many calls are asked for while gateways are ended, over each store. */
const CALLS = Number(process.env['CALLS'] ?? 250)
/** After so many calls one gateway is ended. */
const BETWEEN = Math.max(50, Math.round(CALLS / 40))
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const NAMES = ['ann', 'bob', 'carol', 'dave', 'owner']
/** How many calls of each of them are under way at once: together they may cost more than all of the limit. */
const AT_ONCE = 6

/** The longest answer of a call, tokens. Some 900 are held for it, and some 500 are billed. */
const MOST = 600
/** Less than half of what the calls would cost. */
const TOKENS = Math.max(8_000, Math.round(CALLS / NAMES.length) * 200)
/** Dollars for a million tokens of prompts and of answers. */
const PRICE = { input: 3, output: 15 }
const USD = Number(((TOKENS * 13) / 1_000_000).toFixed(6))
const budgets = [
  { limit: { tokens: TOKENS }, per: 'day' },
  { limit: { usd: USD }, per: 'day' },
]
/** They share less than what their own limits come to. */
const DIVERS = ['bob', 'carol', 'dave']
const SHARED = { tokens: Math.round(TOKENS * 1.8), usd: Number((USD * 1.8).toFixed(6)) }
const limits = [
  {
    for: 'group:divers',
    sharedBudgets: [
      { limit: { tokens: SHARED.tokens }, per: 'day' },
      { limit: { usd: SHARED.usd }, per: 'day' },
    ],
  },
]

interface Gateway {
  readonly url: string
  readonly child: ChildProcess
}

interface Bill {
  tokens: number
  nanos: number
  calls: number
}

/** A provider that bills what it was asked for, whatever becomes of its answer, and says what it billed where the answer arrives whole. */
async function vendor(t: TestContext, random: (below: number) => number) {
  const bills = new Map(NAMES.map((name): [string, Bill] => [name, { tokens: 0, nanos: 0, calls: 0 }]))
  function answer({ body }: ScriptedRequest): ScriptedAnswer {
    const messages = body['messages'] as readonly { readonly role: string; readonly content: string }[]
    const bill = bills.get(messages.findLast(({ role }) => role === 'user')!.content.split(' ')[0]!)!
    const kind = random(20)
    // Who refuses before the prompt is read bills nothing.
    if (kind === 0) return { status: 429, body: { error: 'slow down' }, headers: { 'retry-after': '0' } }
    const most = (body['options'] as { readonly num_predict?: number } | undefined)?.num_predict ?? 2_048
    const promptTokens = Math.ceil(JSON.stringify(messages).length / 4)
    const outputTokens = kind < 4 ? most : Math.ceil(most * 0.6) + random(Math.floor(most * 0.4))
    bill.tokens += promptTokens + outputTokens
    bill.nanos += (promptTokens * PRICE.input + outputTokens * PRICE.output) * 1_000
    bill.calls += 1
    const usage = { promptTokens, outputTokens }
    const given = { text: 'one two three four', usage, delayMs: random(80) }
    if (kind === 1) return { status: 500, body: { error: 'broken' }, delayMs: random(20) }
    if (kind === 2) return { ...given, cutAfter: random(3) }
    if (kind < 8) return { ...given, pieceDelayMs: random(40) }
    return given
  }
  const provider = await scriptedProvider({ answer })
  t.after(() => provider.close())
  return { url: provider.url, bills }
}

async function world(t: TestContext, store: string | undefined) {
  const random = numbers(SEED)
  t.diagnostic(`SEED=${SEED} CALLS=${CALLS}`)
  const folder = await mkdtemp(join(tmpdir(), 'foreword-money-'))
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const { url: baseURL, bills } = await vendor(t, random)
  let homes = 0

  /** Each gateway on a database has a folder of its own; those on a file come one after the other. */
  async function start(): Promise<Gateway> {
    const home = join(folder, store === undefined ? 'home' : `home-${(homes += 1)}`)
    mkdirSync(home, { recursive: true })
    const configuration = {
      model: 'ollama/scripted',
      providers: { ollama: { kind: 'ollama', baseURL } },
      models: { 'ollama/scripted': { window: 32_000, maxOutput: MOST, price: PRICE } },
      budgets,
      people: { budgets, limits },
    }
    writeFileSync(join(home, 'config.json'), JSON.stringify(configuration))
    const child = spawn(
      process.execPath,
      [...memoryFlags, '--conditions=foreword-source', foreword, 'start', '--port', '0'],
      {
        env: {
          ...process.env,
          ...startEnvironment,
          ...(store !== undefined && { FOREWORD_STORE: store }),
          FOREWORD_HOME: home,
          FOREWORD_GATEWAY_TOKEN: TOKEN,
          NO_COLOR: '1',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    t.after(() => end({ url: '', child }))
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
    return { url, child }
  }
  return { start, bills, random }
}

/** Longer than the lease: its homes are at others by then. What it had in its hands it may send now. */
async function wakeLater(gateway: Gateway): Promise<void> {
  await sleep(8_000)
  gateway.child.kill('SIGCONT')
  await sleep(2_000)
  await end(gateway)
}

async function end({ child }: Gateway): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'close')
}

interface Person {
  readonly name: string
  readonly token: string
}

async function ask(gateway: Gateway, token: string, path: string, body?: unknown, signal?: AbortSignal) {
  return fetch(`${gateway.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // A gateway that froze with a request in its hands never answers it.
    signal: AbortSignal.any([AbortSignal.timeout(8_000), ...(signal ? [signal] : [])]),
  })
}

async function json<Answer>(gateway: Gateway, token: string, path: string, body?: unknown): Promise<Answer> {
  const response = await ask(gateway, token, path, body)
  assert.ok(response.ok, `${path}: ${response.status} ${await response.clone().text()}`)
  return (await response.json()) as Answer
}

async function addPeople(gateway: Gateway): Promise<readonly Person[]> {
  const people: Person[] = []
  for (const name of NAMES) {
    if (name === 'owner') people.push({ name, token: TOKEN })
    else {
      await json(gateway, TOKEN, '/api/people', { name, ...(DIVERS.includes(name) && { groups: ['divers'] }) })
      const body = { name: `phone-${name}`, scope: 'approve', person: name }
      const { token } = await json<{ readonly token: string }>(gateway, TOKEN, '/api/tokens', body)
      people.push({ name, token })
    }
  }
  return people
}

/** Everybody asks for calls while `breaks` ends gateways; then what was billed is compared with the limits and with what counts. */
async function race(
  t: TestContext,
  { bills, random }: Pick<Awaited<ReturnType<typeof world>>, 'bills' | 'random'>,
  gateways: () => readonly Gateway[],
  breaks: (more: (calls: number) => Promise<boolean>) => Promise<void>,
): Promise<void> {
  const people = await addPeople(gateways()[0]!)
  const seen = { answered: 0, refused: 0, broken: 0, aborted: 0 }
  let left = CALLS
  const waiting = new Set<{ readonly until: number; readonly resolve: () => void }>()
  /** Resolves once so many more calls were asked for; whether there are more to come. */
  async function more(calls: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.add({ until: Math.max(0, left - calls), resolve })
    if (left > 0) await promise
    return left > 0
  }
  const asking = people.flatMap(({ name, token }) =>
    Array.from({ length: AT_ONCE }, async () => {
      while (left > 0) {
        const leaving = new AbortController()
        const isLeft = random(8) === 0
        const all = gateways()
        const gateway = all[random(all.length)]
        if (!gateway) {
          await sleep(20)
          continue
        }
        left -= 1
        for (const each of waiting) {
          if (left > each.until) continue
          waiting.delete(each)
          each.resolve()
        }
        if (isLeft) setTimeout(() => leaving.abort(), random(60))
        try {
          const stream = random(2) === 0
          const messages = [{ role: 'user', content: `${name} asks ${random(1_000)}` }]
          const body = { model: 'ollama/scripted', messages, stream, max_tokens: MOST }
          const response = await ask(gateway, token, '/v1/chat/completions', body, leaving.signal)
          await response.text()
          if (response.status === 402) {
            seen.refused += 1
            await sleep(300)
          } else if (response.ok) seen.answered += 1
          else if (response.status === 503) {
            // It stands by, or lost its place.
            left += 1
            await sleep(50)
          } else seen.broken += 1
        } catch {
          if (isLeft) seen.aborted += 1
          else {
            seen.broken += 1
            await sleep(50)
          }
        }
      }
    }),
  )
  await Promise.all([breaks(more), ...asking])
  t.diagnostic(`asked for: ${JSON.stringify(seen)}`)
  for (const { name, token } of people) {
    const report = await settled(gateways, token)
    const bill = bills.get(name)!
    const [tokens, usd] = report.filter(({ group }) => group === undefined) as [BudgetReport, BudgetReport]
    t.diagnostic(
      `${name}: ${bill.calls} calls billed, ${bill.tokens} of ${TOKENS} tokens, $${bill.nanos / 1e9} of $${USD}; ${tokens.spent} count`,
    )
    assert.ok(bill.tokens <= TOKENS, `${name}: ${bill.tokens} tokens of ${TOKENS}`)
    assert.ok(bill.nanos <= USD * 1e9, `${name}: ${bill.nanos} nano-dollars of ${USD * 1e9}`)
    assert.ok(tokens.spent! + tokens.held! >= bill.tokens, `${name}: ${tokens.spent} of ${bill.tokens} tokens count`)
    assert.ok((usd.spent! + usd.held!) * 1e9 >= bill.nanos - 1, `${name}: $${usd.spent} of ${bill.nanos} count`)
    assert.ok(tokens.spent! + tokens.held! <= TOKENS && usd.spent! + usd.held! <= USD + 1e-9)
  }
  const together = { tokens: 0, nanos: 0 }
  for (const name of DIVERS) {
    together.tokens += bills.get(name)!.tokens
    together.nanos += bills.get(name)!.nanos
  }
  const report = await settled(gateways, TOKEN)
  const [tokens, usd] = report.filter(({ group }) => group === 'divers') as [BudgetReport, BudgetReport]
  t.diagnostic(
    `divers: ${together.tokens} of ${SHARED.tokens} tokens, $${together.nanos / 1e9} of $${SHARED.usd}; ${tokens.spent} count, ${tokens.held} held`,
  )
  assert.ok(together.tokens <= SHARED.tokens, `divers: ${together.tokens} tokens of ${SHARED.tokens}`)
  assert.ok(together.nanos <= SHARED.usd * 1e9, `divers: ${together.nanos} nano-dollars of ${SHARED.usd * 1e9}`)
  assert.ok(tokens.spent! + tokens.held! >= together.tokens, `divers: ${tokens.spent} of ${together.tokens} count`)
  assert.ok((usd.spent! + usd.held!) * 1e9 >= together.nanos - 1, `divers: $${usd.spent} of ${together.nanos} count`)
  assert.ok(tokens.spent! + tokens.held! <= SHARED.tokens && usd.spent! + usd.held! <= SHARED.usd + 1e-9)
  // They came near what they share. In a short race, holds of gateways that were ended are a good part of it until they run out.
  assert.ok(together.tokens > SHARED.tokens * (CALLS < 1_000 ? 0.3 : 0.5), `divers: only ${together.tokens} tokens`)
  assert.ok(seen.refused > 0 && seen.answered > 0 && seen.broken > 0, JSON.stringify(seen))
}

/** What counts once nothing is under way. */
async function settled(gateways: () => readonly Gateway[], token: string): Promise<readonly BudgetReport[]> {
  for (let attempt = 0; ; attempt += 1) {
    const all = gateways()
    try {
      const gateway = all[attempt % all.length]!
      await json(gateway, token, '/api/status?wait=idle')
      return (await json<{ readonly budgets: readonly BudgetReport[] }>(gateway, token, '/api/budgets')).budgets
    } catch (error) {
      if (attempt > 200) throw error
      await sleep(100)
    }
  }
}

test('no limit is passed while a gateway on a file is killed again and again', { timeout: 3_600_000 }, async (t) => {
  const here = await world(t, undefined)
  let gateway = await here.start()
  let isThere = true
  let kills = 0
  await race(
    t,
    here,
    () => (isThere ? [gateway] : []),
    async (more) => {
      while (await more(BETWEEN)) {
        isThere = false
        await end(gateway)
        kills += 1
        gateway = await here.start()
        isThere = true
      }
    },
  )
  t.diagnostic(`${kills} gateways were killed`)
})

test(
  'no limit is passed while gateways on a database are killed and frozen, and wake up again',
  { ...options, timeout: 3_600_000 },
  async (t) => {
    const here = await world(t, await database().database())
    let gateways: readonly Gateway[] = [await here.start(), await here.start()]
    const ends = { killed: 0, frozen: 0 }
    const frozen: Promise<void>[] = []
    await race(
      t,
      here,
      () => gateways,
      async (more) => {
        for (let round = 0; await more(BETWEEN); round += 1) {
          const [one, ...others] = gateways as [Gateway, ...Gateway[]]
          gateways = others
          if (round % 2 === 0) {
            ends.frozen += 1
            one.child.kill('SIGSTOP')
            frozen.push(wakeLater(one))
          } else {
            ends.killed += 1
            await end(one)
          }
          gateways = [...others, await here.start()]
        }
        await Promise.all(frozen)
      },
    )
    t.diagnostic(`${ends.killed} gateways were killed, ${ends.frozen} frozen`)
  },
)

/** Whole numbers below a bound. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
