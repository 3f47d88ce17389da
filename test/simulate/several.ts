import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { providers as known } from '../../src/capabilities/providers.ts'
import { prompt } from '../../src/capabilities/prompt/prompt.ts'
import { tokenx } from '../../src/context.ts'
import { createModels } from '../../src/model.ts'
import { type Clock, clockOf } from '../../src/platform.ts'
import { createRuntime, type HostedRuntime } from '../../src/runtime.ts'
import { type Entry, type SessionStore, StoreError } from '../../src/session.ts'
import { createDatabaseQueue } from '../../src/session/postgres/write-queue.ts'
import type { StoreConnection } from '../../src/session/sqlite/connection.ts'
import { openMemoryStore, openMigrated } from '../../src/session/sqlite/open-sqlite-store.ts'
import { createStore } from '../../src/session/tables/create-store.ts'
import { readAccess, type Tool } from '../../src/tool.ts'
import type { ScriptedRequest } from '../../src/testing/scripted-provider-answer.ts'
import { type Random, randomOf } from './random.ts'
import { virtualNetwork } from './virtual-network.ts'
import { type VirtualTime, virtualTime } from './virtual-time.ts'

/** A database that several processes write to, each for as long as nobody has taken it over. */
interface Database {
  readonly tables: StoreConnection
  epoch: number
}

/** One process: it can be frozen, cut off from the database, and ended at any moment. */
interface Process {
  readonly owner: number
  readonly clock: Clock
  freeze(milliseconds: number): void
  cutOff(milliseconds: number): Promise<void>
  readonly isCutOff: () => boolean
}

/** How long the longest story may be, ms. */
const LATEST_MS = 24 * 3_600_000

/**
 * Lives one story of gateways that take one store over from each other at any moment: while the one before works, is frozen, is cut off
 * or has crashed. Returns which laws were broken, and what happened.
 */
export async function liveWithSeveral(seed: number) {
  const random = randomOf(`several ${seed}`)
  const time = virtualTime('2026-01-05T12:00:00.000Z')
  const folder = mkdtempSync(join(tmpdir(), 'several-'))
  const tables = openMigrated({ path: ':memory:', clock: time.clock(0) })
  const database: Database = { tables, epoch: 0 }
  const network = virtualNetwork({
    time,
    random: random.fork('network'),
    answer: (request) => ({ answer: answer(request), delay: random.below(300), pause: 5, splits: false }),
  })
  const letters: string[] = []
  const accepted: { readonly session: string; readonly word: string }[] = []
  const trace: string[] = []
  const note = (text: string) => void trace.push(`${(time.passed() / 1_000).toFixed(3)} s  ${text}`)
  let processes = 0

  async function start(): Promise<{ readonly process: Process; readonly runtime: HostedRuntime }> {
    processes += 1
    const process = startProcess(time, processes)
    const { clock, owner } = process
    note(`gateway ${owner} takes the store`)
    const runtime = await createRuntime({
      version: '0',
      home: join(folder, `home-${owner}`),
      store: await takeStore(database, process, random.fork(`store ${owner}`)),
      models: createModels({
        clock,
        known,
        fetch: network.fetchOf(owner),
        providers: { ollama: { kind: 'ollama', baseURL: 'http://ollama.test' } },
      }),
      capabilities: [prompt],
      capabilitySettings: { prompt: { text: 'You send letters.' } },
      settings: { model: 'ollama/scripted', layout: 'auto', counter: tokenx, maxSteps: 6, retryDelaysMs: [5, 20] },
      clock,
      historyIndex: ':memory:',
      policy: { current: async () => readAccess(ACCESS, {}) },
      tools: [letterTool(letters)],
    })
    note(`gateway ${owner} works`)
    return { process, runtime }
  }

  async function live(): Promise<readonly string[]> {
    let { process, runtime } = await start()
    const sessions: string[] = []
    for (let each = 0; each < 2; each += 1) sessions.push((await runtime.newSession()).id)
    const over = new AbortController()
    const talking = sessions.map(async (session, of) => {
      for (let number = 0; number < 6; number += 1) {
        const word = `${of}-${number}`
        // The same word again, with the same key, until somebody has acknowledged it.
        for (;;) {
          const admitted = runtime.submit({ session, text: word, idempotencyKey: word })
          const outcome = await Promise.race([
            admitted.then(
              () => true,
              () => false,
            ),
            time.sleep(4_000).then(() => false),
          ])
          if (outcome) break
          await time.sleep(200)
        }
        accepted.push({ session, word })
        note(`${word} is accepted`)
        await time.sleep(random.below(1_500))
      }
    })
    const failing = (async () => {
      for (let faults = 0; faults < 5 && !over.signal.aborted; faults += 1) {
        await time.sleep(random.below(2_500))
        const kind = random.pick(['none', 'freeze', 'cut off', 'crash'])
        note(`${kind} at gateway ${process.owner}`)
        if (kind === 'freeze') process.freeze(random.below(9_000))
        if (kind === 'cut off') void process.cutOff(random.below(9_000))
        if (kind === 'crash') time.drop(process.owner)
        await time.sleep(random.below(800))
        ;({ process, runtime } = await start())
      }
    })()
    await Promise.all(talking)
    over.abort()
    note('everything is said')
    await failing
    note('nothing fails any more')
    // What was frozen wakes, and what was cut off reaches the database: none of it changes anything any more.
    await time.sleep(20_000)
    await runtime.idle()
    const broken = await brokenLaws(runtime.store, sessions, accepted, letters)
    await runtime.close()
    return broken
  }

  try {
    return { broken: await time.run(live(), LATEST_MS), trace, letters: letters.length, processes }
  } catch (error) {
    return { broken: [String(error)], trace, letters: letters.length, processes }
  } finally {
    for (let owner = 1; owner <= processes; owner += 1) time.drop(owner)
    tables.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const ACCESS = '{"global": {"mode": "full"}, "tools": {"*": {"afterUntrusted": "allow"}}}'

function answer({ body }: ScriptedRequest) {
  const messages = body['messages'] as readonly { readonly role: string; readonly content: string }[]
  if (messages.at(-1)?.role === 'tool') return { text: 'All done.' }
  const word = messages.findLast(({ role }) => role === 'user')!.content.split('\n')[0]!
  return { toolCalls: [{ name: 'send_letter', input: { of: word } }] }
}

function letterTool(letters: string[]): Tool {
  return {
    name: 'send_letter',
    description: 'Sends a letter.',
    inputSchema: { type: 'object' },
    async execute(input, { clock }) {
      letters.push((input as { readonly of: string }).of)
      await clock.sleep(20)
      return { ok: true, output: 'The letter is on its way.' }
    },
  }
}

function startProcess(time: VirtualTime, owner: number): Process {
  let frozen = false
  let cut = 0
  const held: (() => void)[] = []
  const run = (work: () => void) => () => {
    if (frozen) held.push(work)
    else work()
  }
  const own = time.clock(owner)
  return {
    owner,
    clock: clockOf({
      now: own.now,
      monotonic: own.monotonic,
      newId: own.newId,
      timer: (milliseconds, work) => time.at(milliseconds, owner, run(work)),
      soon: (work) => void time.at(0, owner, run(work)),
    }),
    freeze(milliseconds) {
      frozen = true
      time.at(milliseconds, owner, () => {
        frozen = false
        for (const work of held.splice(0)) work()
      })
    },
    async cutOff(milliseconds) {
      cut += 1
      await time.sleep(milliseconds)
      cut -= 1
    },
    isCutOff: () => cut > 0,
  }
}

/** The store of a process, from the moment on at which it takes it: every other one is refused from then on. */
async function takeStore(database: Database, process: Process, random: Random): Promise<SessionStore> {
  const { clock } = process
  const { tables } = database
  database.epoch += 1
  const own = database.epoch
  /** The way to the database, and back: longer at times, and no way at all while it is cut off. */
  async function travel(): Promise<void> {
    await clock.sleep(random.chance(0.1) ? random.below(400) : random.below(6))
    while (process.isCutOff()) await clock.sleep(100)
  }
  return createStore({
    place: 'the database',
    clock,
    readOnly: false,
    async read(work, sees) {
      await travel()
      const result = tables.work(work, sees)
      await travel()
      return result
    },
    queue: createDatabaseQueue(
      {
        async transaction(work) {
          await travel()
          if (database.epoch !== own) throw new StoreError('taken-over', 'another gateway has taken the store over')
          const result = tables.transaction(() => tables.work(work()))
          await travel()
          return result
        },
      },
      clock,
    ),
    openMemory: () => openMemoryStore(clock),
    close: () => {},
  })
}

async function brokenLaws(
  store: SessionStore,
  sessions: readonly string[],
  accepted: readonly { readonly session: string; readonly word: string }[],
  letters: readonly string[],
): Promise<readonly string[]> {
  const broken: string[] = []
  for (const session of sessions) {
    const entries = await store.entries(session)
    const words = entries.flatMap((entry) => (entry.type === 'input' ? [textOf(entry)] : []))
    const expected = accepted.filter((each) => each.session === session).map(({ word }) => word)
    if (words.join() !== expected.join()) broken.push(`messages of ${session}: ${words.join()} for ${expected.join()}`)
    if (entries.some(({ seq }, at) => seq !== at + 1)) broken.push(`the log of ${session} has a gap`)
    for (const entry of entries) {
      if (entry.type !== 'input') continue
      const own = entries.filter((each) => 'turn' in each && each.turn === entry.turn)
      const ends = own.flatMap((each) => (each.type === 'turn-end' ? [each.outcome.type] : []))
      if (ends.join() !== 'completed') broken.push(`${entry.turn} ended with ${ends.join()}`)
      const sent = letters.filter((word) => word === textOf(entry)).length
      const isKnown = own.some((each) => each.type === 'tool-end' && each.ok)
      if (sent > 1 || (isKnown && sent === 0)) broken.push(`the letter of ${entry.turn} was sent ${sent} times`)
    }
  }
  for await (const damage of store.damage()) broken.push(JSON.stringify(damage))
  return broken
}

function textOf({ message: { content } }: Entry & { readonly type: 'input' }): string {
  if (typeof content !== 'string') throw new Error('a message here is a text')
  return content
}
