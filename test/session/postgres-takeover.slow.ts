import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, start } from '../cases/session-store-entries.ts'
import { postgresForTests } from './postgres-for-tests.ts'
import type { SessionStore, Standby, Waiting } from '../../src/session.ts'
import { systemClock } from '../../src/platform.ts'
import { openPostgresStore } from '../../src/session/postgres/open-postgres-store.ts'

const { options, server } = postgresForTests()

/** A process that wants the store of a database. */
function join(address: string, host: string, signal?: AbortSignal) {
  const waits = Promise.withResolvers<Waiting>()
  const standby: Standby = { gateway: { host, version: '1.0.0' }, waits: waits.resolve, signal }
  const opened = openPostgresStore({ clock: systemClock, address, standby })
  opened.catch(() => {})
  return { opened, waits: waits.promise }
}

const statesOf = async ({ gateways }: SessionStore) =>
  (await gateways!.list()).map(({ host, state }) => `${host} ${state}`)

const terminate = (address: string) =>
  server().execute(
    "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = x'46775374'::int and granted",
    databaseOf(address),
  )

const databaseOf = (address: string) => /\/(store_\d+)/.exec(address)![1]!

test('the second of two stands by, sees the first, and has the store when the first closes it', options, async () => {
  const address = await server().database()
  const one = await join(address, 'one').opened
  await one.gateways!.announce('http://one:4141')
  const other = join(address, 'other')
  const waiting = await other.waits
  assert.deepEqual(
    (await waiting.list()).map(({ host, state, address: where }) => ({ host, state, where })),
    [
      { host: 'one', state: 'active', where: 'http://one:4141' },
      { host: 'other', state: 'standby', where: undefined },
    ],
  )
  assert.equal(waiting.active()?.address, 'http://one:4141')
  await one.append('s', [start], at(1))
  await one.close()
  const store = await other.opened
  assert.deepEqual([store.gateways!.tookOver, one.gateways!.tookOver], [true, false])
  assert.equal((await store.entries('s')).length, 1)
  assert.deepEqual(await statesOf(store), ['other active'])
  await store.close()
})

test('one that stands by lists the gateways over a connection that it keeps for as long', options, async () => {
  const address = await server().database()
  const store = await join(address, 'one').opened
  const other = join(address, 'other')
  const waiting = await other.waits
  const connections = async () => {
    const rows = await server().execute(
      `select pid from pg_stat_activity where datname = '${databaseOf(address)}' order by pid`,
    )
    return rows.map(({ pid }) => pid)
  }
  const before = await connections()
  await waiting.list()
  const opened = (await connections()).filter((pid) => !before.includes(pid))
  assert.equal(opened.length, 1)
  for (let time = 0; time < 5; time += 1) assert.equal((await waiting.list()).length, 2)
  assert.deepEqual(
    (await connections()).filter((pid) => !before.includes(pid)),
    opened,
  )
  // At the same time each has one.
  const lists = await Promise.all([waiting.list(), waiting.list()])
  assert.deepEqual(
    lists.map(({ length }) => length),
    [2, 2],
  )
  await server().execute(
    `select pg_terminate_backend(pid) from pg_stat_activity where query like '%from gateways%' and datname = '${databaseOf(address)}'`,
  )
  assert.equal((await waiting.list().catch(() => waiting.list())).length, 2)
  await store.close()
  const next = await other.opened
  // It reads with connections of its own.
  assert.equal((await waiting.list()).length, 1)
  await next.close()
  while ((await connections()).length > 0) await systemClock.sleep(20)
})

test('two that begin at the same moment on an empty database: one works, one stands by', options, async () => {
  const address = await server().database()
  const [one, other] = [join(address, 'one'), join(address, 'other')]
  const first = await Promise.race([one.opened, other.opened])
  await Promise.race([one.waits, other.waits])
  await first.close()
  const stores = await Promise.all([one.opened, other.opened])
  await stores.find((store) => store !== first)!.close()
})

test('a wait that is ended leaves no row', options, async () => {
  const address = await server().database()
  const store = await join(address, 'one').opened
  const ending = new AbortController()
  const other = join(address, 'other', ending.signal)
  await other.waits
  ending.abort()
  await assert.rejects(other.opened, { code: 'closed' })
  assert.deepEqual(await statesOf(store), ['one active'])
  await store.close()
})

test('no write of a process is accepted after the epoch moved, whatever lock it has', options, async () => {
  const address = await server().database()
  const store = await join(address, 'one').opened
  await store.append('s', [start], at(1))
  const writing = Array.from({ length: 20 }, (_, number) =>
    store.append('s', [{ type: 'model', model: `m${number}` }], at(number)).then(
      () => 'written',
      ({ code }: { code: string }) => code,
    ),
  )
  await server().execute('update foreword.ownership set epoch = epoch + 1', databaseOf(address))
  const outcomes = await Promise.all(writing)
  const late = await store.append('s', [{ type: 'model', model: 'late' }], at(1)).catch(({ code }) => code as string)
  assert.equal(late, 'taken-over')
  assert.equal(((await store.failed) as { code: string }).code, 'taken-over')
  const written = outcomes.filter((outcome) => outcome === 'written').length
  assert.equal((await store.entries('s')).length, 1 + written)
  assert.deepEqual(new Set(outcomes.slice(written)), written < outcomes.length ? new Set(['taken-over']) : new Set())
  await store.close()
})

test(
  'a process that lost its connection while another stands by either goes on or is refused, never both',
  options,
  async () => {
    const address = await server().database()
    let active = join(address, 'process 0')
    let acknowledged = 0
    for (let number = 1; number <= 3; number += 1) {
      const store = await active.opened
      const next = join(address, `process ${number}`)
      await next.waits
      if (number === 1) await store.append('s', [start], at(0))
      // Until it is refused: each time its connection ends, the two are as fast.
      for (let over = false; !over;) {
        await terminate(address)
        try {
          await store.append('s', [{ type: 'model', model: `m${acknowledged + 1}` }], at(1))
          acknowledged += 1
          // It may go on for as long as it is as fast as the other.
          await systemClock.sleep(250)
        } catch (error) {
          assert.equal((error as { code: string }).code, 'taken-over')
          over = true
        }
      }
      await store.close()
      active = next
    }
    const store = await active.opened
    const models = (await store.entries('s')).flatMap((entry) => (entry.type === 'model' ? entry.model : []))
    assert.deepEqual(
      models,
      Array.from({ length: acknowledged }, (_, index) => `m${index + 1}`),
    )
    assert.deepEqual(await Array.fromAsync(store.damage()), [])
    await store.close()
  },
)

test(
  'after a restart of the database the process that wrote goes on, and the other still stands by',
  options,
  async () => {
    const address = await server().database()
    const store = await join(address, 'one').opened
    const ending = new AbortController()
    const other = join(address, 'other', ending.signal)
    await other.waits
    await store.putValue('before', 1)
    await server().restart()
    await store.putValue('after', 1)
    assert.deepEqual([await store.value('before'), await store.value('after')], [1, 1])
    // Once it has seen the database again.
    for (let states: readonly string[] = []; states.length < 2;) states = await statesOf(store)
    assert.deepEqual(await statesOf(store), ['one active', 'other standby'])
    ending.abort()
    await assert.rejects(other.opened, { code: 'closed' })
    await store.close()
  },
)
