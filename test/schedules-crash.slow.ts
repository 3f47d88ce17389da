import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openStore } from '../src/session.ts'
import { runsAllCases } from './arbitrary/some-cases.ts'
import { scriptedProvider } from '../src/testing.ts'
import { spawnForeword } from './cli/gateway-process.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { systemClock } from '../src/platform.ts'

const MINUTE = 60_000
const KILLS = runsAllCases ? 6 : 4

test('a gateway that is killed again and again while it makes up a hundred due times sends each of them once', async (t) => {
  const calls = counter()
  const provider = await scriptedProvider({
    answer() {
      calls.add()
      return { text: 'Nothing new.' }
    },
  })
  t.after(() => provider.close())
  const { home, environment } = temporaryHome(t)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const providers = { ollama: { kind: 'ollama', baseURL: provider.url } }
  writeFileSync(join(home, 'config.json'), JSON.stringify({ model: 'ollama/scripted', providers }))
  const { FOREWORD_MODEL: _, ...variables } = environment
  const words = ['every minute', 'Look.', '--new', '--budget', '1000000tokens', '--missed', 'all', '--json']
  const { stdout, stderr } = await run(['schedule', 'add', ...words], { environment: variables })
  assert.notEqual(stdout, '', stderr)
  const { id } = JSON.parse(stdout) as { id: string }
  await setBack(home, id)

  for (let kills = 0, seen = 0; kills < KILLS; kills++) {
    const gateway = spawnForeword(t, ['start', '--json'], variables)
    seen += 1 + kills * 3
    await Promise.race([calls.reach(seen), gateway.ended])
    gateway.child.kill('SIGKILL')
    await gateway.ended
    seen = calls.count
  }
  const gateway = spawnForeword(t, ['start', '--json'], variables)
  const { address } = JSON.parse(await gateway.line(/address/)) as { address: string }
  const headers = { authorization: `Bearer ${readFileSync(join(home, 'data', 'token'), 'utf8').trim()}` }
  // All that is due is decided before this: what concerns one schedule happens in order.
  const last = await fetch(`${address}/api/schedules/${id}/run`, { method: 'POST', headers })
  assert.equal(last.status, 202)
  gateway.child.kill('SIGKILL')
  await gateway.ended

  const due = (await keysOf(home)).filter((key) => !key.includes(':run_')).map((key) => key.slice(-24))
  assert.ok(due.length >= 100, `${due.length} messages`)
  assert.equal(new Set(due).size, due.length, 'a due time was sent twice')
  const moments = due.map(Date.parse).toSorted((one, other) => one - other)
  for (const [index, moment] of moments.entries()) assert.equal(moment, moments[0]! + index * MINUTE)
})

/** What was decided about a schedule ends two hours ago. */
async function setBack(home: string, id: string): Promise<void> {
  const store = await openStore({ clock: systemClock, path: join(home, 'data', 'foreword.sqlite') })
  await store.putValue(`schedule/${id}`, { upTo: new Date(Date.now() - 120 * MINUTE).toISOString(), runs: [] })
  await store.close()
}

/** The idempotency keys of every message in every session. */
async function keysOf(home: string): Promise<readonly string[]> {
  const store = await openStore({ clock: systemClock, path: join(home, 'data', 'foreword.sqlite') })
  const rows = await store.sessions({ limit: 1_000 })
  const logs = await Promise.all(rows.map(({ id }) => store.entries(id, { types: ['input'] })))
  await store.close()
  return logs.flat().flatMap((entry) => (entry.type === 'input' ? (entry.idempotencyKey ?? []) : []))
}

/** Counts, and resolves when so many are reached. */
function counter() {
  let count = 0
  let more = Promise.withResolvers<void>()
  return {
    get count() {
      return count
    },
    add() {
      count += 1
      more.resolve()
      more = Promise.withResolvers<void>()
    },
    async reach(wanted: number) {
      for (;;) {
        if (count >= wanted) return
        await more.promise
      }
    },
  }
}
