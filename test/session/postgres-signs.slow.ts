import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../src/platform.ts'
import { LEASE_MS } from '../../src/session/postgres/ownership.ts'
import { openPostgresStore } from '../../src/session/postgres/open-postgres-store.ts'
import type { Waiting } from '../../src/session.ts'
import { postgresForTests } from './postgres-for-tests.ts'

const { options, server } = postgresForTests()

/** A process that has the store of a database and gives signs of life, and another one that stands by in this process. */
async function openBoth(t: TestContext) {
  const address = await server().database()
  const database = /\/(store_\d+)/.exec(address)![1]!
  const child = spawn(
    process.execPath,
    ['--conditions=foreword-source', join(import.meta.dirname, 'signing-process.mjs'), address],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  t.after(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const said = async () => (await lines.next()).value as string
  assert.equal(await said(), 'open')
  const [row] = await server().execute('select signs from foreword.gateways', database)
  const signs = `select pid, state from pg_stat_activity where application_name = '${String(row!['signs'])}'`
  while ((await server().execute(signs)).length === 0) await systemClock.sleep(20)
  const waits = Promise.withResolvers<Waiting>()
  const ending = new AbortController()
  const standby = { gateway: { host: 'other', version: '1' }, waits: waits.resolve, signal: ending.signal }
  const opened = openPostgresStore({ clock: systemClock, address, standby })
  opened.catch(() => {})
  t.after(async () => {
    ending.abort()
    await opened.then(
      (store) => store.close(),
      () => {},
    )
  })
  return {
    child,
    opened,
    waiting: await waits.promise,
    signs,
    tell: (text: string) => void child.stdin.write(`${text}\n`),
    said,
    epoch: async () => (await server().execute('select epoch from foreword.ownership', database))[0]!['epoch'],
    /** For how long the former one had said nothing with its writes when the other took the store, ms by the database. */
    async silence() {
      const [found] = await server().execute(
        `select extract(epoch from (select since from foreword.ownership) - heartbeat) * 1000 as silence
           from foreword.gateways where host = 'child'`,
        database,
      )
      return Number(found!['silence'])
    },
  }
}

test('a process that is busy keeps its store, also where every core is', options, async (t) => {
  const { tell, said, epoch, waiting } = await openBoth(t)
  for (let loop = 0; loop < 2; loop += 1) {
    const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
    t.after(() => busy.kill('SIGKILL'))
  }
  const before = await epoch()
  for (let time = 0; time < 2; time += 1) {
    tell(`busy ${LEASE_MS - 1_500}`)
    const over = new AbortController()
    const idle = said().finally(() => over.abort())
    while (!over.signal.aborted) {
      assert.deepEqual(
        (await waiting.list()).map(({ host, state }) => `${host} ${state}`),
        ['child active', 'other standby'],
      )
      await systemClock.sleep(100)
    }
    assert.equal(await idle, 'idle')
    tell(`write ${time}`)
    assert.equal(await said(), 'written')
  }
  assert.equal(await epoch(), before)
})

test(
  'one that is frozen loses its store before its writes are late, and writes nothing once it wakes',
  options,
  async (t) => {
    const { child, opened, silence, tell, said } = await openBoth(t)
    child.kill('SIGSTOP')
    const store = await opened
    assert.ok((await silence()) < LEASE_MS, `${await silence()} ms`)
    child.kill('SIGCONT')
    tell('write late')
    assert.equal(await said(), 'taken-over')
    assert.equal(await store.value('late'), undefined)
  },
)

test('one whose signs are not to be found has the time of its writes', options, async (t) => {
  const { child, opened, silence, signs } = await openBoth(t)
  child.kill('SIGSTOP')
  await server().execute(`select pg_terminate_backend(pid) from (${signs}) as given`)
  await opened
  assert.ok((await silence()) >= LEASE_MS, `${await silence()} ms`)
})

test('signs go on after the database started again, and end with their process', options, async (t) => {
  const { child, signs, tell, said } = await openBoth(t)
  await server().restart()
  tell('write after')
  assert.equal(await said(), 'written')
  while ((await server().execute(signs)).length === 0) await systemClock.sleep(50)
  child.stdin.end()
  await once(child, 'close')
  assert.equal(child.exitCode, 0)
  while ((await server().execute(signs)).length > 0) await systemClock.sleep(50)
})
