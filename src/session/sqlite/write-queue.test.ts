import assert from 'node:assert/strict'
import { EventEmitter, on } from 'node:events'
import { test, type TestContext } from 'node:test'
import { setImmediate as immediate } from 'node:timers/promises'
import { contentHash } from '../content.ts'
import { openStoreConnection } from './connection.ts'
import { putContent } from '../tables/content-table.ts'
import { openStoreFile } from './open-sqlite-store.ts'
import { StoreError } from '../store-error.ts'
import { putValue, readValue } from '../tables/value-table.ts'
import { createWriteQueue } from './write-queue.ts'
import { temporaryStore } from '../../../test/session/temporary-store.ts'
import { systemClock } from '../../platform.ts'

const time = '2026-01-01T00:00:00.000Z'

test('when there is no room, what does not fit is refused and what fits is written', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ clock: systemClock, path, maxBytes: 400_000 })
  await store.append('a', [{ type: 'session-start' }], time)
  const outcomes = await Promise.allSettled([
    store.putValue('small', 'x'),
    store.putContent('y'.repeat(1_000_000)),
    store.append('a', [{ type: 'model', model: 'rehearsal' }], time),
  ])
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'written')),
    ['written', 'full', 'written'],
  )
  assert.equal(await store.value('small'), 'x')
  assert.equal((await store.session('a'))?.model, 'rehearsal')
  await store.close()
})

test('a store that another process has locked reports it, and works when the lock is released', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ clock: systemClock, path, busyTimeoutMs: 10 })
  const other = openStoreConnection({ clock: systemClock, path })
  other.execute('begin immediate')
  const refused = await Promise.allSettled([
    store.append('a', [{ type: 'session-start' }], time),
    store.putValue('k', 1),
  ])
  assert.deepEqual(
    refused.map((outcome) => outcome.status === 'rejected' && outcome.reason.code),
    ['busy', 'busy'],
  )
  assert.equal(await store.session('a'), undefined)
  other.execute('rollback')
  other.close()
  await store.append('a', [{ type: 'session-start' }], time)
  assert.equal((await store.session('a'))?.entries, 1)
  await store.close()
})

test('a text that could not be written is tried again', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ clock: systemClock, path, busyTimeoutMs: 10 })
  const other = openStoreConnection({ clock: systemClock, path })
  other.execute('begin immediate')
  await assert.rejects(store.putContent('text'), { code: 'busy' })
  other.execute('rollback')
  other.close()
  assert.equal(await store.content(await store.putContent('text')), 'text')
  await store.close()
})

test('two large writes of one moment are two transactions with other work between them, and the small ones go with them', async (context) => {
  const path = await temporaryStore(context)
  await (await openStoreFile({ clock: systemClock, path })).close()
  const connection = openStoreConnection({ clock: systemClock, path })
  const reader = await openStoreFile({ clock: systemClock, path, readOnly: true })
  const [one, other] = ['x'.repeat(1_500_000), 'y'.repeat(1_500_000)]
  const onDisk = () =>
    Promise.all([reader.value('before'), reader.content(contentHash(one)), reader.content(contentHash(other))])
  const seen: ReturnType<typeof onDisk>[] = []
  const queue = createWriteQueue({
    ...connection,
    transaction(work) {
      seen.push(immediate().then(onDisk))
      return connection.transaction(work)
    },
  })
  const large = (text: string) => queue.push(() => putContent(text, contentHash(text)), { characters: text.length })
  await Promise.all([
    queue.push(() => putValue('before', 1)),
    large(one),
    large(other),
    queue.push(() => putValue('behind', 2)),
  ])
  assert.deepEqual(await Promise.all(seen), [
    [1, one, undefined],
    [1, one, other],
  ])
  assert.equal(await reader.value('behind'), 2)
  await reader.close()
  connection.close()
})

test('nothing is acknowledged before the disk has it, and what is written meanwhile waits for the disk once more', async (context) => {
  const { connection, queue, nextSync } = await queueWithDisk(context)
  const said: string[] = []
  const put = (key: string) =>
    queue
      .push(() => putValue(key, 1), { written: () => said.push(`${key} is written`) })
      .then(() => said.push(`${key} is acknowledged`))
  const first = put('a')
  const began = await nextSync()
  const second = put('b')
  const third = put('c')
  const safe = queue.onDisk().then(() => said.push('all is on the disk'))
  await immediate()
  await immediate()
  assert.equal(connection.work(readValue('c')), 1)
  assert.deepEqual(said, [])
  began.resolve()
  await first
  assert.deepEqual(said, ['a is written', 'a is acknowledged'])
  const again = await nextSync()
  again.resolve()
  await Promise.all([second, third, safe])
  assert.deepEqual(said.slice(2, 4), ['b is written', 'c is written'])
  assert.deepEqual(new Set(said.slice(4)), new Set(['b is acknowledged', 'c is acknowledged', 'all is on the disk']))
  connection.close()
})

test('where the disk did not take what was written, none of it is acknowledged, and nothing more is written', async (context) => {
  const { connection, queue, nextSync } = await queueWithDisk(context)
  const acknowledged: string[] = []
  const first = queue.push(() => putValue('a', 1), { written: () => acknowledged.push('a') })
  const began = await nextSync()
  const second = queue.push(() => putValue('b', 1), { written: () => acknowledged.push('b') })
  const refused = [first, second, queue.onDisk()].map((promise) => assert.rejects(promise, { code: 'io' }))
  await immediate()
  began.reject(new StoreError('io', 'the disk failed'))
  await Promise.all(refused)
  await assert.rejects(
    queue.push(() => putValue('c', 1)),
    { code: 'io' },
  )
  assert.deepEqual(acknowledged, [])
  assert.equal(connection.work(readValue('c')), undefined)
  connection.close()
})

/** A queue over a disk that takes what was written when the test says so. */
async function queueWithDisk(context: TestContext) {
  const path = await temporaryStore(context)
  await (await openStoreFile({ clock: systemClock, path })).close()
  const connection = openStoreConnection({ clock: systemClock, path })
  const waits = new EventEmitter()
  const syncs = on(waits, 'sync')
  const queue = createWriteQueue({
    ...connection,
    sync() {
      const disk = Promise.withResolvers<void>()
      waits.emit('sync', disk)
      return disk.promise
    },
  })
  const nextSync = async () => {
    const { value = [] } = await syncs.next()
    return value[0] as PromiseWithResolvers<void>
  }
  return { connection, queue, nextSync }
}

test('what waits is written when the store is closed, large or not', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ clock: systemClock, path })
  await store.append('a', [{ type: 'session-start' }], time)
  const turn = (id: string, content: string) =>
    store.append('a', [{ type: 'input', turn: id, message: { role: 'user', content }, tokens: counts }], time)
  const written = [turn('t1', 'x'.repeat(1_100_000)), turn('t2', 'y'.repeat(1_100_000)), turn('t3', 'z')]
  await store.close()
  await Promise.all(written)
  const again = await openStoreFile({ clock: systemClock, path })
  assert.deepEqual(
    (await again.entries('a')).map(({ type }) => type),
    ['session-start', 'input', 'input', 'input'],
  )
  await again.close()
})

test('a large write that does not fit is refused alone', async (context) => {
  const path = await temporaryStore(context)
  const store = await openStoreFile({ clock: systemClock, path, maxBytes: 2_500_000 })
  const outcomes = await Promise.allSettled([
    store.putContent('x'.repeat(1_100_000)),
    store.putContent('y'.repeat(9_000_000)),
    store.putValue('small', 1),
  ])
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'written')),
    ['written', 'full', 'written'],
  )
  await store.close()
})

const counts = { counter: 'chars@1', full: 1, least: 1 }
