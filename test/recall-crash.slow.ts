import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openRecallIndex } from '../src/search.ts'
import { openStore } from '../src/session.ts'
import { memoryFlags } from './kit/started-program.ts'
import { logHistory } from './recall/logged-history.ts'
import { systemClock } from '../src/platform.ts'

const SESSIONS = ['a', 'b', 'c']
const TURNS = 1_200
const KILLS = 8

test('killed again and again while it indexes and while it takes out, the history is whole and holds nothing twice', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'foreword-crash-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  const path = join(home, 'store.sqlite')
  const store = await openStore({ clock: systemClock, path })
  t.after(() => store.close())
  for (const session of SESSIONS) {
    const turns = Array.from({ length: TURNS }, (_, n) => ({ said: `Cormorant ${session}${n} sat on the pier.` }))
    await logHistory(store, session, turns)
  }
  const all = SESSIONS.length * TURNS
  const index = join(home, 'data', 'history.sqlite')
  const run = () => indexing(t, { store: path, data: join(home, 'data') })

  // On a busy machine a kill may come when all is done.
  let early = 0
  for (let kill = 0; kill < KILLS && passagesIn(index) < all; kill += 1) {
    const before = passagesIn(index)
    const least = before + Math.floor((all - before) / (KILLS - kill + 1))
    const { killed } = await run().killedWhen(() => passagesIn(index) > least)
    if (!killed) break
    early += passagesIn(index) < all ? 1 : 0
  }
  assert.ok(early > 2, `only ${early} kills came in the middle of the work`)
  assert.equal(await run().output(), 'opened\nwhole\n')
  const whole = (sessions: readonly string[]) =>
    sessions.flatMap((session) => Array.from({ length: TURNS }, (_, n) => `Cormorant ${session}${n} sat on the pier.`))
  assert.deepEqual(textsIn(index), whole(SESSIONS))
  await assertFound(index, SESSIONS)

  await store.deleteSession('b')
  let kills = 0
  for (let left = TURNS; left > 0; left = countOf(index, 'b')) {
    const least = left - TURNS / 5
    const { killed } = await run().killedWhen(() => countOf(index, 'b') < least)
    kills += killed ? 1 : 0
    if (!killed) break
  }
  assert.ok(kills > 2)
  assert.equal(await run().output(), 'opened\nwhole\n')
  assert.deepEqual(textsIn(index), whole(['a', 'c']))
  await assertFound(index, ['a', 'c'])
  assert.doesNotMatch(readFileSync(index, 'latin1'), /Cormorant b|\bb17\b/)
})

interface Orders {
  readonly store: string
  readonly data: string
}

/** A process that indexes, until it is done or killed. */
function indexing(t: TestContext, orders: Orders) {
  const child = spawn(
    process.execPath,
    [
      ...memoryFlags,
      '--conditions=foreword-source',
      join(import.meta.dirname, 'recall', 'index-process.ts'),
      JSON.stringify(orders),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = once(child, 'close')
  t.after(() => child.kill('SIGKILL'))
  return {
    async output(): Promise<string> {
      await ended
      return output
    },
    /** SIGKILL as soon as this is so: no handler runs, nothing is flushed. */
    async killedWhen(due: () => boolean): Promise<{ readonly killed: boolean }> {
      while (child.exitCode === null && !due()) await pause(8)
      child.kill('SIGKILL')
      await ended
      return { killed: child.signalCode === 'SIGKILL' }
    },
  }
}

/** Every passage is found by the word that it alone holds, once. */
async function assertFound(path: string, sessions: readonly string[]): Promise<void> {
  const index = await openRecallIndex({ clock: systemClock, path })
  for (const session of SESSIONS) {
    for (let n = 0; n < TURNS; n += 7) {
      const { passages } = index.find({ text: `"${session}${n}"`, limit: 5 })
      const found = passages.map(({ session: at, ordinal }) => `${at}${ordinal - 1}`)
      assert.deepEqual(found, sessions.includes(session) ? [`${session}${n}`] : [])
    }
  }
  index.close()
  const database = new DatabaseSync(path)
  database.exec("insert into words_1 (words_1) values ('integrity-check')")
  database.close()
}

function passagesIn(path: string): number {
  return Number(asked(path, 'select count(*) as count from passages')[0]?.['count'] ?? 0)
}

function countOf(path: string, session: string): number {
  const sql = `select count(*) as count from passages where number / 4194304 = (select number from sessions where id = ?)`
  return Number(asked(path, sql, session)[0]?.['count'] ?? 0)
}

function textsIn(path: string): readonly unknown[] {
  const sql = 'select text from passages p join sessions s on s.number = p.number / 4194304 order by s.id, p.number'
  return asked(path, sql).map(({ text }) => text)
}

function asked(path: string, sql: string, ...parameters: readonly string[]) {
  if (!existsSync(path)) return []
  const database = new DatabaseSync(path, { readOnly: true, timeout: 1_000 })
  try {
    return database.prepare(sql).all(...parameters)
  } catch (error) {
    // Before its tables are made.
    if (error instanceof Error && /no such table/.test(error.message)) return []
    throw error
  } finally {
    database.close()
  }
}
